// What one claim of 10 costs beside a million other jobs, against beside none.
#include "parts.hpp"

namespace tq::bench {
namespace {

constexpr std::size_t rounds = 201;
constexpr std::size_t jobs_a_claim = 10;
constexpr std::size_t few = 1'000;

// Claims on one connection, timed without the commit, which costs the same everywhere and more than
// the claim.
class TimedClaims {
 public:
  explicit TimedClaims(const Target& target) : target_(target), connection_(target.connect()) {}

  void claim() {
    connection_->begin(target_.queue.dialect().transaction);
    const auto begin = monotonic();
    const auto jobs = target_.queue.claim(
        *connection_, {.queue = queue_name, .worker = "bench", .limit = jobs_a_claim});
    const auto end = monotonic();
    connection_->commit();
    if (jobs.size() != jobs_a_claim) {
      throw Error{Errc::failed, "a claim gave " + std::to_string(jobs.size()) + " jobs of 10"};
    }
    times_.push_back(static_cast<double>(end - begin));
  }
  [[nodiscard]] double median() { return bench::median(times_); }

 private:
  const Target& target_;
  std::unique_ptr<Connection> connection_;
  std::vector<double> times_;
};

// By turns: what else the machine does, such as cleaning up after the load, slows both.
Result compare(const Target& large, const Target& small) {
  TimedClaims beside{large};
  TimedClaims alone{small};
  for (std::size_t i = 0; i < rounds; ++i) {
    alone.claim();
    beside.claim();
  }
  return {.unit = "ratio",
          .value = beside.median() / alone.median(),
          .more = {{"claim us", beside.median()}, {"claim us alone", alone.median()}},
          .jobs = static_cast<std::int64_t>(2 * rounds * jobs_a_claim)};
}

}  // namespace

Result backlog(const Target& target, const Size& size) {
  load(target, size, size.jobs + rounds * jobs_a_claim);
  const auto& small = target.another();
  load(small, size, few + rounds * jobs_a_claim);
  return compare(target, small);
}

Result finished(const Target& target, const Size& size) {
  load_finished(target, size, size.jobs);
  const auto& small = target.another();
  for (const auto* each : {&target, &small}) load(*each, size, few + rounds * jobs_a_claim);
  return compare(target, small);
}

Result future(const Target& target, const Size& size) {
  load(target, size, size.jobs, [](NewJob& job, std::size_t /*number*/) {
    job.priority = highest_priority;
    job.delay = std::chrono::hours{24};
  });
  const auto& small = target.another();
  for (const auto* each : {&target, &small}) load(*each, size, few + rounds * jobs_a_claim);
  return compare(target, small);
}

}  // namespace tq::bench
