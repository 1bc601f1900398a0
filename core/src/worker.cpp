#include "tq/worker.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "validate.hpp"
#include "worker_run.hpp"

namespace tq {
namespace {

std::string default_name() {
  std::array<char, 65> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host = {'h', 'o', 's', 't'};
  const auto id = JobId::generate().text();
  return std::string{host.data()} + "-" + std::to_string(::getpid()) + "-" + id.substr(28);
}

void check(const WorkerOptions& options) {
  if (options.queues.empty()) {
    throw Error{Errc::invalid_argument, "queues: name at least one queue to work on"};
  }
  for (const auto& [queue, weight] : options.queues) {
    check_name("queue", queue);
    check_range("weight", weight, 1, 100);
  }
  check_name("name", options.name);
  check_range("threads", options.threads, 1, 1000);
  check_duration("lease", options.lease, std::chrono::seconds{1}, std::chrono::hours{24 * 100});
  check_duration("max_poll", options.max_poll, std::chrono::milliseconds{1}, std::chrono::hours{1});
  check_duration("grace", options.grace, Duration{0}, std::chrono::hours{24});
  check_duration("reap_every", options.reap_every, Duration{0}, std::chrono::hours{24});
  check_duration("purge_after", options.purge_after, Duration{0}, longest_duration);
  check_duration("purge_every", options.purge_every, std::chrono::milliseconds{1},
                 std::chrono::hours{24});
}

}  // namespace

Worker::Worker(Queue queue, Connector connector, WorkerOptions options)
    : queue_(std::move(queue)), connector_(std::move(connector)), options_(std::move(options)) {
  if (options_.name.empty()) options_.name = default_name();
  check(options_);
}

void Worker::on(std::string kind, Handler handler) {
  check_name("kind", kind);
  const auto found = std::ranges::find(handlers_, kind, &std::pair<std::string, Handler>::first);
  if (found != handlers_.end()) {
    throw Error{Errc::invalid_argument, "kind: '" + kind + "' has a handler already"};
  }
  handlers_.emplace_back(std::move(kind), std::move(handler));
}

void Worker::on_any(Handler handler) { any_ = std::move(handler); }

void Worker::run(std::stop_token stop) { WorkerRun{*this}.run(stop); }

}  // namespace tq
