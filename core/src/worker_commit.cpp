// The committer of a worker: acknowledges what has ended.
#include "worker_run.hpp"

namespace tq {
namespace {

constexpr Duration ask_again = std::chrono::milliseconds{5};

}  // namespace

// Writers that take turns would wait for each other on two connections.
bool WorkerRun::acknowledges_beside() const { return queue_.dialect().facts.concurrent_writers; }

void WorkerRun::commit(const std::stop_token& end) {
  std::unique_ptr<Connection> connection;
  int failures = 0;
  while (!end.stop_requested()) {
    try {
      commit_some(connection);
      failures = 0;
    } catch (const Error& error) {
      if (must_end(error)) {
        const std::lock_guard lock{commit_mutex_};
        commit_failure_ = std::current_exception();
        return hand_.nudge();
      }
      if (error.code() == Errc::cancelled && stop_.stop_requested()) continue;  // by ourselves
      report_trouble(error);
      if (connection && !connection->usable()) connection.reset();
      pause_.wait(reconnect_pause(++failures), end);
    }
  }
}

void WorkerRun::commit_some(std::unique_ptr<Connection>& connection) {
  const auto second = Clock::now() + std::chrono::seconds{1};
  hand_.wait(Hand::Waiter::committer, second, {.acks = true});
  auto acks = hand_.take_acks();
  if (acks.empty()) return;
  try {
    if (!connection || !connection->usable()) connection = connector_();
  } catch (const Error&) {
    hand_.put_back(std::move(acks), after_failure);
    throw;
  }
  send_acks(*connection, std::move(acks));
}

void WorkerRun::rethrow_commit_failure() {
  const std::lock_guard lock{commit_mutex_};
  if (commit_failure_) std::rethrow_exception(commit_failure_);
}

void WorkerRun::send_acks(Connection& connection, std::vector<Acknowledgement> acks) {
  if (acks.empty()) return;
  std::vector<Finish> answers;
  try {
    const Asking::Scope asking{acknowledging_, connection};
    answers = queue_.finish(connection, acks);
  } catch (const Error&) {
    // A repeat of what did take effect is answered `already`.
    hand_.put_back(std::move(acks), after_failure);
    throw;
  }
  answer(std::move(acks), answers);
}

void WorkerRun::answer(std::vector<Acknowledgement> acks, const std::vector<Finish>& answers) {
  std::vector<Acknowledgement> open;
  for (std::size_t i = 0; i < acks.size(); ++i) {
    if (answers[i] == Finish::busy) {
      open.push_back(std::move(acks[i]));
    } else {
      report_answer(acks[i], answers[i]);
    }
  }
  hand_.answered(acks.size() - open.size());
  if (!open.empty()) hand_.put_back(std::move(open), ask_again);
}

void WorkerRun::report_answer(const Acknowledgement& ack, Finish finish) const {
  if (!options_.on_event) return;
  Job job;
  job.job_id = ack.lease.job_id;
  job.generation = ack.lease.generation;
  report({.kind = WorkerEvent::Kind::finished,
          .job = &job,
          .verb = ack.verb,
          .finish = finish,
          .message = ack.error});
}

}  // namespace tq
