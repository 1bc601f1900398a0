#include <algorithm>

#include "parts.hpp"

namespace tq::bench {
namespace {

constexpr std::size_t jobs_a_group = 4;

void load_groups(const Target& target, const Size& size, const std::string& name,
                 std::size_t groups) {
  load(target, size, groups * jobs_a_group, [&](NewJob& job, std::size_t number) {
    job.group_key = name + std::to_string(number % groups);
  });
}

// Holds the first job of each group that is there.
std::vector<std::unique_ptr<Hands>> hold(const Target& target, const Size& size,
                                         std::size_t groups) {
  std::vector<std::unique_ptr<Hands>> holders;
  for (std::size_t held = 0; held < groups;) {
    holders.push_back(target.hands(size));
    const auto more = holders.back()->claim(std::min<std::size_t>(groups - held, 1'000));
    if (more == 0) throw Error{Errc::failed, "not every group gave its first job"};
    held += more;
  }
  return holders;
}

}  // namespace

// Of `jobs` jobs, four a group: the drain while a tenth of the groups is blocked by a job that runs
// on, against the drain of as many groups where none is.
Result groups(const Target& target, const Size& size) {
  const std::size_t all = std::max<std::size_t>(size.jobs / jobs_a_group, 10);
  const std::size_t blocked = all / 10;
  const std::size_t free = all - blocked;
  const auto& other = target.another();
  load_groups(other, size, "free", free);
  const auto plain = drained_by_workers(other, size, free * jobs_a_group);

  load_groups(target, size, "blocked", blocked);
  const auto holders = hold(target, size, blocked);
  load_groups(target, size, "free", free);
  const auto reports =
      run_workers(target, {.threads = size.threads, .jobs = free * jobs_a_group}, 1);
  const auto& report = reports.front();
  const double rate =
      static_cast<double>(free * jobs_a_group) / seconds_between(report.begun, report.ended);
  std::size_t released = 0;
  for (const auto& holder : holders) released += holder->complete();
  const auto rest = drained_by_workers(target, size, blocked * (jobs_a_group - 1));

  Result result{.unit = "ratio",
                .value = rate / plain.value,
                .more = {{"jobs/s", rate}, {"jobs/s, none blocked", plain.value}}};
  const auto jobs = static_cast<std::int64_t>(all * jobs_a_group);
  check_drained(target, result, jobs,
                report.started + static_cast<std::int64_t>(released) + rest.jobs + rest.doubled,
                report.refused + rest.stale);
  result.lost += plain.lost;
  result.doubled += plain.doubled;
  result.stale += plain.stale;
  return result;
}

}  // namespace tq::bench
