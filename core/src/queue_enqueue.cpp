#include "tq/queue.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <unordered_map>

#include "batch.hpp"
#include "run.hpp"
#include "tq/error.hpp"
#include "validate.hpp"

namespace tq {
namespace {

// A job that is first with its key in a call is asked for; later ones get its answer.
struct Pending {
  const NewJob* job = nullptr;
  JobId job_id;
  std::size_t position = 0;
};

bool refusable(const NewJob& job) { return job.unique_key || job.job_id; }

template <class Text>
nlohmann::json optional_text(const Text& text) {
  return text ? nlohmann::json(*text) : nlohmann::json(nullptr);
}

nlohmann::json enqueue_row(const Pending& pending) {
  const auto& job = *pending.job;
  return {
      {"ord", pending.position},
      {"job_id", pending.job_id.text()},
      {"queue", job.queue},
      {"kind", job.kind},
      {"payload", job.payload},
      {"priority", job.priority},
      {"delay", job.delay.count() > 0 ? nlohmann::json(job.delay.count()) : nullptr},
      {"run_at", job.run_at ? nlohmann::json(to_micros(*job.run_at)) : nullptr},
      {"max_attempts", job.max_attempts},
      {"unique_key", optional_text(job.unique_key)},
      {"group_key", optional_text(job.group_key)},
  };
}

nlohmann::json holder_row(const Pending& pending) {
  return {{"ord", pending.position},
          {"job_id", pending.job_id.text()},
          {"queue", pending.job->queue},
          {"unique_key", optional_text(pending.job->unique_key)}};
}

// One call of enqueue: knows what is still to be answered.
class Enqueue {
 public:
  Enqueue(Connection& connection, const Execution& execution, std::span<const NewJob> jobs)
      : connection_(connection), execution_(execution), answers_(jobs.size()) {
    find_repeats(jobs);
  }

  std::vector<Enqueued> run() {
    if (work_.empty()) return {};
    const bool simple = batches(work_).size() == 1 && !any_refusable_;
    if (simple) {
      store_alone();
    } else {
      if (joins(connection_)) require_transaction(connection_, "enqueue");
      in_transaction(connection_, execution_, Duplicates::final, [this] { store_all(); });
    }
    for (const auto& [repeat, first] : repeats_) {
      answers_[repeat] = {answers_[first].job_id, false};
    }
    return std::move(answers_);
  }

 private:
  void find_repeats(std::span<const NewJob> jobs) {
    std::map<std::pair<std::string_view, std::string_view>, std::size_t> keys;
    std::map<JobId, std::size_t> ids;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const auto& job = jobs[i];
      any_refusable_ = any_refusable_ || refusable(job);
      if (job.unique_key) {
        const auto [first, fresh] = keys.try_emplace({job.queue, *job.unique_key}, i);
        if (!fresh) {
          repeats_.emplace_back(i, first->second);
          continue;
        }
      }
      if (job.job_id) {
        const auto [first, fresh] = ids.try_emplace(*job.job_id, i);
        if (!fresh) {
          repeats_.emplace_back(i, first->second);
          continue;
        }
      }
      work_.push_back({&job, job.job_id ? *job.job_id : JobId::generate(), i});
    }
    // Producers that insert several keys in one order cannot deadlock one another.
    std::ranges::stable_sort(work_, {}, [](const Pending& pending) {
      const auto& job = *pending.job;
      return std::tuple{job.job_id.value_or(JobId{}), job.unique_key ? job.queue : std::string{},
                        job.unique_key.value_or(std::string{})};
    });
  }

  static std::vector<std::string> batches(const std::vector<Pending>& work) {
    Batches batches;
    for (const auto& pending : work) batches.add(enqueue_row(pending));
    return batches.take();
  }

  void store_alone() {
    const auto json = batches(work_);
    const std::vector<Named> arguments{{"jobs", json.front()}, {"created_at", std::monostate{}}};
    perform(connection_, execution_, execution_.dialect.enqueue, arguments);
    for (const auto& pending : work_) answers_[pending.position] = {pending.job_id, true};
  }

  // A holder may end between the insert that it refused and the look for it; then the insert is
  // tried again. A handful of rounds is enough unless keys change hands faster than that.
  void store_all() {
    auto left = work_;
    Argument created_at = std::monostate{};
    constexpr int rounds = 20;
    for (int round = 0; round < rounds && !left.empty(); ++round) {
      store(left, created_at);
      if (!left.empty()) find_holders(left);
    }
    if (!left.empty()) {
      throw Error{Errc::busy, "enqueue: the holder of unique_key changes too fast; try again"};
    }
  }

  void store(std::vector<Pending>& left, Argument& created_at) {
    std::set<std::string, std::less<>> stored;
    for (const auto& json : batches(left)) {
      const std::vector<Named> arguments{{"jobs", json}, {"created_at", created_at}};
      const auto rows = tq::run(connection_, execution_.dialect.enqueue, arguments);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        stored.insert(text(rows[i][0]));
        created_at = integer(rows[i][1]);
      }
    }
    std::erase_if(left, [&](const Pending& pending) {
      if (!stored.contains(pending.job_id.text())) return false;
      answers_[pending.position] = {pending.job_id, true};
      return true;
    });
  }

  void find_holders(std::vector<Pending>& left) {
    Batches batches;
    for (const auto& pending : left) batches.add(holder_row(pending));
    std::unordered_map<std::int64_t, JobId> holders;
    for (const auto& json : batches.take()) {
      const std::vector<Named> arguments{{"jobs", json}};
      const auto rows = tq::run(connection_, execution_.dialect.holder, arguments);
      for (std::size_t i = 0; i < rows.size(); ++i) {
        holders.emplace(integer(rows[i][0]), JobId::parse(text(rows[i][1])).value_or(JobId{}));
      }
    }
    std::erase_if(left, [&](const Pending& pending) {
      const auto found = holders.find(static_cast<std::int64_t>(pending.position));
      if (found == holders.end()) return false;
      answers_[pending.position] = {found->second, false};
      return true;
    });
  }

  Connection& connection_;
  Execution execution_;
  std::vector<Enqueued> answers_;
  std::vector<Pending> work_;
  std::vector<std::pair<std::size_t, std::size_t>> repeats_;  // position, position of the first
  bool any_refusable_ = false;
};

}  // namespace

void Queue::check(std::span<const NewJob> jobs) const {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    try {
      check_job(jobs[i], options_.max_payload_bytes);
    } catch (const Error& error) {
      if (jobs.size() == 1) throw;
      throw Error{error.details(), "job " + std::to_string(i + 1) + " of " +
                                       std::to_string(jobs.size()) + ": " + error.what()};
    }
  }
}

Enqueued Queue::enqueue(Connection& connection, const NewJob& job) const {
  return enqueue(connection, std::span{&job, 1}).front();
}

std::vector<Enqueued> Queue::enqueue(Connection& connection, std::span<const NewJob> jobs) const {
  check(jobs);
  return Enqueue{connection, {dialect_, options_.retries}, jobs}.run();
}

}  // namespace tq
