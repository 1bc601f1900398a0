#include "child.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <functional>
#include <iostream>
#include <map>
#include <stdexcept>

#include "child_tasks.hpp"
#include "servers.hpp"

namespace tq::conformance {

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
  std::vector<std::string> words{"tq-conformance", "--child",    server.pair,
                                 server.instance,  place.name(), task};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t process = 0;
  const int code =
      ::posix_spawn(&process, "/proc/self/exe", nullptr, nullptr, pointers.data(), environ);
  if (code != 0) throw std::runtime_error{"no child process could be started"};
  return Child{process};
}

int run_child(const std::vector<std::string>& words) try {
  enum : std::size_t { pair, instance, place, task, arguments };
  choose_pair(words.at(pair));
  const auto server = std::ranges::find(servers(), words.at(instance), &Server::instance);
  if (server == servers().end()) throw std::runtime_error{"no server " + words.at(instance)};
  const auto found = server->find_place(words.at(place));
  const std::vector<std::string> rest(words.begin() + arguments, words.end());
  return child_task(words.at(task))(*found, rest);
} catch (const std::exception& error) {
  std::cerr << "tq-conformance, child process: " << error.what() << '\n';
  return 1;
}

}  // namespace tq::conformance
