#include "child.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "child_tasks.hpp"
#include "servers.hpp"

namespace tq::conformance {
namespace {

// A URL may hold a password, and others can read a command line.
constexpr auto url_variable = "TQ_CHILD_URL";

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> result;
  result.reserve(words.size() + 1);
  for (auto& word : words) result.push_back(word.data());
  result.push_back(nullptr);
  return result;
}

}  // namespace

Child::~Child() {
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

int Child::wait() {
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

Child start_child(const Server& server, const Place& place, const std::string& task,
                  const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"tq-conformance", "--child", server.pair, place.name(), task};
  words.insert(words.end(), arguments.begin(), arguments.end());
  auto url = std::string{url_variable} + "=" + server.url;
  auto argv = pointers(words);
  std::vector<char*> environment{url.data()};
  for (char** variable = environ; *variable != nullptr; ++variable) {
    environment.push_back(*variable);
  }
  environment.push_back(nullptr);
  pid_t process = 0;
  const int code =
      ::posix_spawn(&process, "/proc/self/exe", nullptr, nullptr, argv.data(), environment.data());
  if (code != 0) throw std::runtime_error{"no child process could be started"};
  return Child{process};
}

int run_child(const std::vector<std::string>& words) try {
  enum : std::size_t { pair, place, task, arguments };
  const char* url = std::getenv(url_variable);
  if (url == nullptr) throw std::runtime_error{"no URL"};
  const auto found = pair_named(words.at(pair)).place(url, words.at(place));
  const std::vector<std::string> rest(words.begin() + arguments, words.end());
  return child_task(words.at(task))(*found, rest);
} catch (const std::exception& error) {
  std::cerr << "tq-conformance, child process: " << without_passwords(error.what()) << '\n';
  return 1;
}

}  // namespace tq::conformance
