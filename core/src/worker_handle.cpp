// The handler threads of a worker.
#include <algorithm>

#include "worker_run.hpp"

namespace tq {

void WorkerRun::handle_jobs() {
  while (auto held = hand_.take()) handle(held);
}

void WorkerRun::handle(const Held& held) {
  const auto begun = Clock::now();
  // Started so late, it could end after its lease: someone with more time should have it.
  const bool late = hand_.lease_end(held) - begun < margin();
  const bool unwanted = held->stop.stop_requested();
  std::optional<Acknowledgement> ack;
  if (unwanted) {
    ack = stopped(held, hand_.reason(held), "stopped before it started");
  } else if (late) {
    ack = Acknowledgement{.lease = held->job.lease(), .verb = Verb::released};
  } else {
    report({.kind = WorkerEvent::Kind::started, .job = &held->job});
    ack = run_handler(held);
  }
  hand_.finish(held, std::move(ack), std::chrono::duration_cast<Duration>(Clock::now() - begun));
}

std::optional<Acknowledgement> WorkerRun::run_handler(const Held& held) {
  const auto& job = held->job;
  const auto* run = handler(job.kind);
  if (run == nullptr) return failure(job, "this worker has no handler for kind '" + job.kind + "'");
  Context context{held->stop.get_token()};
  std::string error;
  try {
    (*run)(job, context);
  } catch (const std::exception& thrown) {
    error = thrown.what();
    if (error.empty()) error = "an exception without a text";
  } catch (...) {
    error = "something that is not a std::exception";
  }
  const auto reason = hand_.reason(held);
  if (reason == StopReason::lost) return std::nullopt;
  if (!error.empty()) {
    return reason == StopReason::none ? failure(job, error) : stopped(held, reason, error);
  }
  Acknowledgement ack{.lease = job.lease(),
                      .verb = context.verb_,
                      .delay = context.delay_,
                      .error = context.error_};
  if (context.again_ && !ack.delay) ack.delay = queue_.options().backoff.delay(job.generation);
  return ack;
}

const Handler* WorkerRun::handler(const std::string& kind) const {
  const auto found =
      std::ranges::find(worker_.handlers_, kind, &std::pair<std::string, Handler>::first);
  if (found != worker_.handlers_.end()) return &found->second;
  return worker_.any_ ? &worker_.any_ : nullptr;
}

Acknowledgement WorkerRun::failure(const Job& job, std::string error) const {
  return {.lease = job.lease(),
          .verb = Verb::failed,
          .delay = queue_.options().backoff.delay(job.generation),
          .error = std::move(error)};
}

// What to say of a job that ended because it was asked to.
std::optional<Acknowledgement> WorkerRun::stopped(const Held& held, StopReason reason,
                                                  std::string error) const {
  const auto lease = held->job.lease();
  switch (reason) {
    case StopReason::lost:
      return std::nullopt;
    case StopReason::cancelled:
      return Acknowledgement{.lease = lease, .verb = Verb::cancelled};
    case StopReason::shutdown:
      return Acknowledgement{.lease = lease, .verb = Verb::released};
    case StopReason::none:
      break;
  }
  return failure(held->job, std::move(error));
}

}  // namespace tq
