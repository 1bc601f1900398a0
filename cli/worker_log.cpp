#include "worker_log.hpp"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <mutex>

#include "json.hpp"
#include "output.hpp"
#include "relay.hpp"

namespace tq::cli {
namespace {

constexpr std::size_t error_characters = 200;

std::string job_of(const WorkerEvent& event) {
  if (event.job == nullptr) return "?";
  return fmt::format("{} {}", event.job->job_id.text(), event.job->generation);
}

std::string short_error(const std::string& text) {
  return text.empty() ? text : ": " + shortened(printable(text), error_characters);
}

void log_finished(const std::string& prefix, const WorkerEvent& event) {
  const bool accepted = event.finish == Finish::done || event.finish == Finish::already;
  const std::string text =
      fmt::format("{}{} {}{}", prefix, name(event.verb), job_of(event), short_error(event.message));
  if (!accepted) {
    spdlog::warn("{} (not accepted: {})", text, name(event.finish));
  } else if (event.verb == Verb::failed) {
    spdlog::warn("{}", text);
  } else {
    spdlog::info("{}", text);
  }
}

// What is refused may be so for hours, and is tried again every few seconds.
class Refusals {
 public:
  void log(const std::string& prefix, const WorkerEvent& event) {
    if (!due()) return spdlog::debug("{}refused: {}", prefix, printable(event.message));
    spdlog::warn("{}refused, tried again: {}", prefix, printable(event.message));
  }

 private:
  bool due() {
    const std::lock_guard lock{mutex_};
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + std::chrono::minutes{1};
    return true;
  }

  std::mutex mutex_;
  std::chrono::steady_clock::time_point next_{};
};

void log_event(const std::string& prefix, const WorkerEvent& event, Refusals& refusals) {
  using Kind = WorkerEvent::Kind;
  switch (event.kind) {
    case Kind::started:
      return spdlog::debug("{}started {} {}", prefix, job_of(event),
                           event.job == nullptr ? "" : printable(event.job->kind));
    case Kind::finished:
      return log_finished(prefix, event);
    case Kind::lease_lost:
      return spdlog::warn("{}lease lost {}", prefix, job_of(event));
    case Kind::cancel_requested:
      return spdlog::info("{}asked to stop {}", prefix, job_of(event));
    case Kind::retried:
      return spdlog::debug("{}repeated: {}", prefix, printable(event.message));
    case Kind::refused:
      return refusals.log(prefix, event);
    case Kind::disconnected:
      return spdlog::warn("{}connection lost: {}", prefix, printable(event.message));
    case Kind::reaped:
      return spdlog::info("{}reaped {} expired jobs", prefix, event.count);
    case Kind::purged:
      return spdlog::info("{}purged {} old jobs", prefix, event.count);
    case Kind::purge_refused:
      return spdlog::warn("{}may not purge, so this worker does not: {}", prefix,
                          printable(event.message));
    case Kind::stopping:
      return spdlog::info("{}stopping: no further claims, waiting for running jobs", prefix);
  }
}

std::string_view name_of(WorkerEvent::Kind kind) {
  using Kind = WorkerEvent::Kind;
  switch (kind) {
    case Kind::started:
      return "started";
    case Kind::finished:
      return "finished";
    case Kind::lease_lost:
      return "lease_lost";
    case Kind::cancel_requested:
      return "cancel_requested";
    // To a program both are a step that is taken again; people are told of one of them.
    case Kind::retried:
    case Kind::refused:
      return "retried";
    case Kind::disconnected:
      return "disconnected";
    case Kind::reaped:
      return "reaped";
    case Kind::purged:
      return "purged";
    case Kind::purge_refused:
      return "purge_refused";
    case Kind::stopping:
      return "stopping";
  }
  return "unknown";
}

std::string event_json(const std::string& database, const WorkerEvent& event) {
  using Kind = WorkerEvent::Kind;
  JsonLine line;
  line.text("event", name_of(event.kind))
      .time("at", std::chrono::floor<Duration>(std::chrono::system_clock::now()))
      .text("database", database);
  if (event.job != nullptr) {
    line.text("job_id", event.job->job_id.text()).number("generation", event.job->generation);
    // What is answered has only its id; the event that it started says the rest.
    if (!event.job->queue.empty()) line.text("queue", event.job->queue);
    if (!event.job->kind.empty()) line.text("kind", event.job->kind);
  }
  if (event.kind == Kind::finished) {
    line.text("verb", name(event.verb)).text("outcome", name(event.finish));
  }
  if (event.kind == Kind::reaped || event.kind == Kind::purged) {
    line.number("count", static_cast<std::int64_t>(event.count));
  }
  if (!event.message.empty()) line.text("message", event.message);
  return line.str() + "\n";
}

}  // namespace

void open_log(Detail detail) {
  const auto colours =
      colours_on_error() ? spdlog::color_mode::automatic : spdlog::color_mode::never;
  auto logger = spdlog::stderr_color_mt("tq", colours);
  logger->set_level(detail == Detail::warnings ? spdlog::level::warn
                    : detail == Detail::usual  ? spdlog::level::info
                                               : spdlog::level::debug);
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %^%l%$ %v", spdlog::pattern_time_type::utc);
  spdlog::set_default_logger(std::move(logger));
}

std::function<void(const WorkerEvent&)> log_events(std::string prefix) {
  return [prefix = std::move(prefix), refusals = std::make_shared<Refusals>()](
             const WorkerEvent& event) { log_event(prefix, event, *refusals); };
}

std::function<void(const WorkerEvent&)> print_events(std::string database,
                                                     std::function<void(int)> on_lost) {
  return [database = std::move(database), on_lost = std::move(on_lost)](const WorkerEvent& event) {
    const int error = write_whole(STDOUT_FILENO, event_json(database, event));
    if (error != 0) on_lost(error);
  };
}

void log_note(const std::string& text) { spdlog::info("{}", text); }
void log_error(const std::string& text) { spdlog::error("{}", text); }

}  // namespace tq::cli
