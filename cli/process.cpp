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

namespace tq::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t chunk_bytes = 1U << 16U;
constexpr std::size_t longest_character_bytes = 4;

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

void pass_on(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;  // nobody reads it; the job goes on
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

// One run of a command, from its start to its end.
class Run {
 public:
  Run(const ProcessRequest& request, Guardian* guardian)
      : request_(request), guardian_(guardian), input_(request.input) {
    told_to_stop_.reset(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!told_to_stop_.open()) {
      throw std::system_error{errno, std::generic_category(), "cannot make an eventfd"};
    }
    launched_ = launch(request, guardian);
  }

  ProcessResult wait(const std::stop_token& stop) {
    const std::stop_callback on_stop{stop, [this] { eventfd_write(told_to_stop_.get(), 1); }};
    while (!finished()) {
      step();
    }
    return end();
  }

 private:
  // Told to stop, the rest of the group may use its grace; its standard error shows that it lives.
  [[nodiscard]] bool finished() const {
    return ended_ && (!deadline_ || killed_ || !launched_.errors.open());
  }

  void step() {
    enum : std::size_t { process, stopping, input, errors };
    std::array<pollfd, 4> polled{};
    polled[process] = {ended_ ? -1 : launched_.handle.get(), POLLIN, 0};
    polled[stopping] = {deadline_ ? -1 : told_to_stop_.get(), POLLIN, 0};
    polled[input] = {launched_.input.get(), POLLOUT, 0};
    polled[errors] = {launched_.errors.get(), POLLIN, 0};
    const int ready = ::poll(polled.data(), polled.size(), timeout());
    if (ready < 0 && errno != EINTR) {
      throw std::system_error{errno, std::generic_category(), "poll"};
    }
    if (ready < 0) return;
    if (polled[input].revents != 0) feed();
    if (polled[errors].revents != 0) listen();
    if (polled[stopping].revents != 0) ask_to_stop();
    if (polled[process].revents != 0) ended_ = true;
    if (deadline_ && !killed_ && Clock::now() >= *deadline_) {
      ::kill(-launched_.process, SIGKILL);
      killed_ = true;
    }
  }

  [[nodiscard]] int timeout() const {
    if (!deadline_ || killed_) return -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline_ - Clock::now());
    return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
  }

  void feed() {
    const ssize_t written = ::write(launched_.input.get(), input_.data(), input_.size());
    if (written > 0) input_.remove_prefix(static_cast<std::size_t>(written));
    const bool refused = written < 0 && errno != EAGAIN && errno != EINTR;
    if (refused || input_.empty()) launched_.input.reset();
  }

  // False when there is nothing more to read now.
  bool listen() {
    std::array<char, chunk_bytes> buffer{};
    const ssize_t size = ::read(launched_.errors.get(), buffer.data(), buffer.size());
    if (size < 0) return errno == EINTR;
    if (size == 0) {
      launched_.errors.reset();
      return false;
    }
    const std::string_view text{buffer.data(), static_cast<std::size_t>(size)};
    pass_on(text);
    kept_ += text;
    constexpr std::size_t enough = kept_error_characters * longest_character_bytes;
    if (kept_.size() > 2 * enough) kept_.erase(0, kept_.size() - enough);
    return true;
  }

  void ask_to_stop() {
    deadline_ = Clock::now() + request_.grace;
    ::kill(-launched_.process, SIGTERM);
    ::kill(-launched_.process, SIGCONT);  // a stopped process hears nothing
  }

  ProcessResult end() {
    // The shell is not reaped yet, so the number of its group cannot belong to anybody else.
    ::kill(-launched_.process, SIGKILL);
    for (int i = 0; i < 4 && launched_.errors.open() && listen(); ++i) {
    }
    if (guardian_ != nullptr) guardian_->forget(launched_.process);
    int status = 0;
    while (waitpid(launched_.process, &status, 0) < 0 && errno == EINTR) {
    }
    const bool exited = WIFEXITED(status);
    return {.end = exited ? ProcessResult::End::exited : ProcessResult::End::signalled,
            .status = exited ? WEXITSTATUS(status) : WTERMSIG(status),
            .stopped = deadline_.has_value(),
            .errors = last_characters(kept_, kept_error_characters)};
  }

  const ProcessRequest& request_;
  Guardian* guardian_;
  std::string_view input_;
  Descriptor told_to_stop_;
  Launched launched_;
  std::string kept_;
  std::optional<Clock::time_point> deadline_;
  bool ended_ = false;
  bool killed_ = false;
};

}  // namespace

ProcessResult run_process(const ProcessRequest& request, std::stop_token stop, Guardian* guardian) {
  if (stop.stop_requested()) {
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
