#include "process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <system_error>

#include "descriptor.hpp"
#include "launch.hpp"
#include "relay.hpp"

namespace tq::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t longest_character_bytes = 4;
constexpr std::size_t kept_error_bytes = kept_error_characters * longest_character_bytes;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

Descriptor make_event() {
  Descriptor event{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  if (!event.open()) throw std::system_error{errno, std::generic_category(), "eventfd"};
  return event;
}

// One run of a command, from its start to its end.
class Run {
 public:
  Run(const ProcessRequest& request, Guardian* guardian)
      : request_(request),
        guardian_(guardian),
        left_to_write_(request.input),
        told_to_stop_(make_event()),
        launched_(launch(request, guardian)),
        output_(std::move(launched_.output), request.output, 0),
        errors_(std::move(launched_.errors), STDERR_FILENO, kept_error_bytes) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() {
    if (launched_.process > 0) reap();
  }

  ProcessResult wait(const std::stop_token& stop) {
    const auto tell = [this] { eventfd_write(told_to_stop_.get(), 1); };
    const std::stop_callback on_stop{stop, tell};
    const std::stop_callback on_hurry{request_.hurry, tell};
    while (!finished()) {
      step();
    }
    return end();
  }

 private:
  // Told to stop, the rest of the group may use its grace; its output being open shows that it
  // lives.
  [[nodiscard]] bool finished() const {
    return ended_ && (!deadline_ || killed_ || !(output_.open() || errors_.open()));
  }

  void step() {
    enum : std::size_t { process, stopping, input, output, errors };
    std::array<pollfd, 5> polled{};
    polled[process] = {ended_ ? -1 : launched_.handle.get(), POLLIN, 0};
    polled[stopping] = {deadline_ ? -1 : told_to_stop_.get(), POLLIN, 0};
    polled[input] = {launched_.input.get(), POLLOUT, 0};
    polled[output] = {output_.descriptor(), POLLIN, 0};
    polled[errors] = {errors_.descriptor(), POLLIN, 0};
    const int ready = ::poll(polled.data(), polled.size(), timeout());
    if (ready < 0 && errno != EINTR) {
      throw std::system_error{errno, std::generic_category(), "poll"};
    }
    if (ready > 0) {
      if (polled[input].revents != 0) feed();
      if (polled[output].revents != 0) output_.read();
      if (polled[errors].revents != 0) errors_.read();
      if (polled[stopping].revents != 0) ask_to_stop();
      if (polled[process].revents != 0) ended_ = true;
    }
    if (deadline_ && !killed_ && Clock::now() >= *deadline_) {
      kill_group();
      killed_ = true;
    }
  }

  [[nodiscard]] int timeout() const {
    if (!deadline_ || killed_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - Clock::now());
    return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
  }

  void feed() {
    const ssize_t written =
        ::write(launched_.input.get(), left_to_write_.data(), left_to_write_.size());
    if (written > 0) left_to_write_.remove_prefix(static_cast<std::size_t>(written));
    const bool refused = written < 0 && errno != EAGAIN && errno != EINTR;
    if (refused || left_to_write_.empty()) launched_.input.reset();
  }

  void ask_to_stop() {
    deadline_ = Clock::now() + request_.grace;
    ::kill(-launched_.process, SIGTERM);
    ::kill(-launched_.process, SIGCONT);  // a stopped process hears nothing
  }

  // Until the shell is reaped, the number of its group cannot belong to anybody else.
  void kill_group() const { ::kill(-launched_.process, SIGKILL); }

  int reap() {
    kill_group();
    if (guardian_ != nullptr) guardian_->forget(launched_.process);
    int status = 0;
    while (waitpid(launched_.process, &status, 0) < 0 && errno == EINTR) {
    }
    launched_.process = -1;
    return status;
  }

  ProcessResult end() {
    kill_group();
    output_.drain();
    errors_.drain();
    const int status = reap();
    const bool exited = WIFEXITED(status);
    return {.end = exited ? ProcessResult::End::exited : ProcessResult::End::signalled,
            .status = exited ? WEXITSTATUS(status) : WTERMSIG(status),
            .stopped = deadline_.has_value(),
            .output_failure = output_.failure(),
            .errors = last_characters(errors_.kept(), kept_error_characters)};
  }

  const ProcessRequest& request_;
  Guardian* guardian_;
  std::string_view left_to_write_;
  Descriptor told_to_stop_;
  Launched launched_;
  Relay output_;
  Relay errors_;
  std::optional<Clock::time_point> deadline_;
  bool ended_ = false;
  bool killed_ = false;
};

}  // namespace

ProcessResult run_process(const ProcessRequest& request, std::stop_token stop, Guardian* guardian) {
  if (stop.stop_requested() || request.hurry.stop_requested()) {
    return {.end = ProcessResult::End::signalled, .status = SIGTERM, .stopped = true};
  }
  return Run{request, guardian}.wait(stop);
}

std::string last_characters(std::string_view text, std::size_t characters) {
  std::size_t begin = text.size();
  std::size_t seen = 0;
  while (begin > 0 && seen < characters) {
    --begin;
    if (!continues(text[begin])) ++seen;
  }
  return std::string{text.substr(begin)};
}

std::string end_text(const ProcessResult& result) {
  if (result.end == ProcessResult::End::exited) return fmt::format("exit code {}", result.status);
  return fmt::format("signal {} ({})", result.status, strsignal(result.status));
}

}  // namespace tq::cli
