#include "bench_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include "wire.hpp"

namespace tq::cli {
namespace {

constexpr const char* place_variable = "TQ_BENCH_PLACE";
constexpr const char* task_variable = "TQ_BENCH_TASK";

[[noreturn]] void fail(int error, const char* what) {
  throw std::system_error{error, std::generic_category(), what};
}

std::vector<std::string> own_arguments() {
  std::ifstream file{"/proc/self/cmdline", std::ios::binary};
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(word);
  return words;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (auto& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> environment(
    const std::vector<std::pair<std::string, std::string>>& changes) {
  std::vector<std::string> result;
  result.reserve(changes.size());
  for (const auto& [name, value] : changes) result.push_back(fmt::format("{}={}", name, value));
  // The first of one name counts.
  for (char** variable = environ; *variable != nullptr; ++variable) result.emplace_back(*variable);
  return result;
}

class Worker final : public bench::WorkerProcess {
 public:
  Worker(const std::string& place, const bench::WorkerTask& task)
      : program_({{place_variable, place}, {task_variable, to_json(task)}},
                 SameProgram::Output::read) {}

  void wait_ready() override {
    if (ready_) return;
    if (program_.read_line() != bench_ready) fail();
    ready_ = true;
  }
  bench::WorkerReport wait() override {
    wait_ready();
    const auto line = program_.read_line();
    if (program_.wait() != 0 || line.empty()) fail();
    return bench::parse_report(line);
  }

 private:
  [[noreturn]] static void fail() {
    throw std::runtime_error{"a worker process failed; it said why"};
  }
  SameProgram program_;
  bool ready_ = false;
};

}  // namespace

SameProgram::SameProgram(const std::vector<std::pair<std::string, std::string>>& changes,
                         Output output) {
  auto words = own_arguments();
  auto variables = environment(changes);
  const auto argv = pointers(words);
  const auto environ_of_it = pointers(variables);
  posix_spawn_file_actions_t actions{};
  posix_spawn_file_actions_init(&actions);
  Descriptor end;
  if (output == Output::read) {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) fail(errno, "cannot make a pipe");
    output_.reset(ends[0]);
    end.reset(ends[1]);
    posix_spawn_file_actions_adddup2(&actions, end.get(), STDOUT_FILENO);
  }
  const int code = posix_spawn(&process_, "/proc/self/exe", &actions, nullptr, argv.data(),
                               environ_of_it.data());
  posix_spawn_file_actions_destroy(&actions);
  if (code != 0) fail(code, "cannot start another process of this program");
}

SameProgram::~SameProgram() {
  if (ended_) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

std::string SameProgram::read_line() {
  for (;;) {
    if (const auto end = read_.find('\n'); end != std::string::npos) {
      auto line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    std::array<char, 4096> part{};
    const auto count = ::read(output_.get(), part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return {};
    read_.append(part.data(), static_cast<std::size_t>(count));
  }
}

int SameProgram::wait() {
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  ended_ = true;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void SameProgram::stop() const noexcept { ::kill(process_, SIGTERM); }

BenchRole bench_role() {
  const char* place = std::getenv(place_variable);
  const char* task = std::getenv(task_variable);
  if (place == nullptr) return {};
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  BenchRole role{.place = place, .task = {}};
  if (task != nullptr) role.task = bench::parse_task(task);
  return role;
}

std::unique_ptr<SameProgram> start_bench_run(const std::string& place) {
  const std::vector<std::pair<std::string, std::string>> changes{{place_variable, place}};
  return std::make_unique<SameProgram>(changes, SameProgram::Output::ours);
}

std::unique_ptr<bench::WorkerProcess> start_bench_worker(const std::string& place,
                                                         const bench::WorkerTask& task) {
  return std::make_unique<Worker>(place, task);
}

}  // namespace tq::cli
