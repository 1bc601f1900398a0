#include "parts.hpp"

#include <algorithm>
#include <cmath>

#include "tq/schema.hpp"

namespace tq::bench {
namespace {

constexpr std::size_t jobs_a_call = 10'000;

class LibraryHands final : public Hands {
 public:
  LibraryHands(Queue queue, const Connector& connect, const Size& size)
      : queue_(std::move(queue)), connection_(connect()), size_(size) {}

  void enqueue(std::size_t jobs) override {
    if (jobs == 1) {
      queue_.enqueue(*connection_, new_job(size_));
    } else {
      queue_.enqueue(*connection_, std::vector<NewJob>(jobs, new_job(size_)));
    }
  }
  std::size_t claim(std::size_t limit) override {
    const auto jobs =
        queue_.claim(*connection_, {.queue = queue_name, .worker = "bench", .limit = limit});
    return hold(jobs);
  }
  std::size_t complete() override {
    if (held_.size() == 1) {
      const auto answer = queue_.complete(*connection_, held_.front().lease);
      return answer == Finish::done ? 1 : 0;
    }
    std::size_t accepted = 0;
    while (!held_.empty()) {
      const auto answers = queue_.finish(*connection_, held_);
      accepted += static_cast<std::size_t>(std::ranges::count(answers, Finish::done));
      std::vector<Acknowledgement> busy;
      for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i] == Finish::busy) busy.push_back(held_[i]);
      }
      held_ = std::move(busy);
    }
    return accepted;
  }
  Turn complete_and_claim(std::size_t limit) override {
    const auto both = queue_.finish_and_claim(
        *connection_, held_, {.queue = queue_name, .worker = "bench", .limit = limit});
    Turn turn{.accepted = static_cast<std::size_t>(std::ranges::count(both.finished, Finish::done)),
              .claimed = both.claimed.size()};
    // What somebody else holds for a moment is completed with the next ones.
    std::vector<Acknowledgement> busy;
    for (std::size_t i = 0; i < held_.size(); ++i) {
      if (both.finished[i] == Finish::busy) busy.push_back(held_[i]);
    }
    if (both.claimed.empty() && !busy.empty()) {
      held_ = std::move(busy);
      turn.accepted += complete();
      return turn;
    }
    hold(both.claimed);
    std::ranges::move(busy, std::back_inserter(held_));
    return turn;
  }

 private:
  std::size_t hold(const std::vector<Job>& jobs) {
    held_.clear();
    for (const auto& job : jobs) held_.push_back({.lease = job.lease()});
    return held_.size();
  }

  const Queue queue_;
  std::unique_ptr<Connection> connection_;
  const Size size_;
  std::vector<Acknowledgement> held_;
};

}  // namespace

double Hands::round_trip() {
  throw Error{Errc::unsupported, "there is nothing to compare a worker's latency with"};
}

std::unique_ptr<Hands> library_hands(const Queue& queue, const Connector& connect,
                                     const Size& size) {
  return std::make_unique<LibraryHands>(queue, connect, size);
}

std::int64_t monotonic() {
  return std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

double seconds_between(std::int64_t begin, std::int64_t end) {
  return std::max(static_cast<double>(end - begin) / 1e6, 1e-6);
}

NewJob new_job(const Size& size) {
  const std::size_t filling = std::max<std::size_t>(size.payload, 2) - 2;
  return {.queue = queue_name, .kind = "noop", .payload = '"' + std::string(filling, 'x') + '"'};
}

void load(const Target& target, const Size& size, std::size_t count,
          const std::function<void(NewJob&, std::size_t)>& change) {
  const auto connection = target.connect();
  for (std::size_t done = 0; done < count;) {
    std::vector<NewJob> jobs(std::min(jobs_a_call, count - done), new_job(size));
    if (change) {
      for (std::size_t i = 0; i < jobs.size(); ++i) change(jobs[i], done + i);
    }
    target.queue.enqueue(*connection, jobs);
    done += jobs.size();
  }
}

void load_finished(const Target& target, const Size& size, std::size_t count) {
  load(target, size, count);
  const auto hands = library_hands(target.queue, target.connect, size);
  while (hands->claim(1000) > 0) hands->complete();
}

std::vector<std::unique_ptr<Hands>> open_hands(const Target& target, const Size& size, int count) {
  std::vector<std::unique_ptr<Hands>> hands(static_cast<std::size_t>(count));
  for (auto& one : hands) one = target.hands(size);
  return hands;
}

std::vector<WorkerReport> run_workers(const Target& target, const WorkerTask& task, int processes) {
  std::vector<std::unique_ptr<WorkerProcess>> workers(static_cast<std::size_t>(processes));
  for (auto& worker : workers) worker = target.start_worker(task);
  std::vector<WorkerReport> reports(workers.size());
  for (std::size_t i = 0; i < workers.size(); ++i) reports[i] = workers[i]->wait();
  return reports;
}

void check_drained(const Target& target, Result& result, std::int64_t jobs, std::int64_t handed_out,
                   std::int64_t refused) {
  const auto connection = target.connect();
  const auto finished = target.queue.finished(*connection, queue_name, std::chrono::hours{24});
  result.jobs = jobs;
  result.lost = jobs - finished;
  result.doubled = std::max<std::int64_t>(handed_out - jobs, 0);
  result.stale = refused;
}

double percentile(std::vector<double>& values, double share) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const auto place = std::ceil(share * static_cast<double>(values.size()));
  return values[static_cast<std::size_t>(std::max(place, 1.0)) - 1];
}

double median(std::vector<double>& values) { return percentile(values, 0.5); }

}  // namespace tq::bench
