#include "process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <thread>

#include "guardian.hpp"

namespace tq::cli {
namespace {

using std::chrono::milliseconds, std::chrono::seconds;
using testing::EndsWith, testing::HasSubstr;

class Process : public testing::Test {
 protected:
  Process() : folder_(std::filesystem::temp_directory_path() / unique_name()) {
    std::filesystem::create_directory(folder_);
    std::signal(SIGPIPE, SIG_IGN);  // as main() does
  }
  ~Process() override { std::filesystem::remove_all(folder_); }

  static std::string unique_name() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    return std::string{"tq-"} + test->name() + "-" + std::to_string(getpid());
  }

  static ProcessResult run(const std::string& command, const std::string& input = "") {
    return run_process({.command = command, .input = input}, {}, nullptr);
  }

  static std::string shell_output(const char* command) {
    std::string text;
    FILE* pipe = popen(command, "r");
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    pclose(pipe);
    return text;
  }

  [[nodiscard]] std::string file(const std::string& name) const { return folder_ / name; }

  [[nodiscard]] std::string contents(const std::string& name) const {
    std::ifstream in{file(name), std::ios::binary};
    return {std::istreambuf_iterator<char>{in}, {}};
  }

  // Until the command has got so far as to write it.
  [[nodiscard]] std::string awaited(const std::string& name) const {
    const auto end = std::chrono::steady_clock::now() + seconds{20};
    while (std::chrono::steady_clock::now() < end) {
      std::string text = contents(name);
      if (text.ends_with('\n')) return text;
      std::this_thread::sleep_for(milliseconds{5});
    }
    return "";
  }

  static bool runs(pid_t process) {
    std::ifstream status{"/proc/" + std::to_string(process) + "/status"};
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("State:")) return line.find('Z') == std::string::npos;
    }
    return false;
  }

  // Once the command has written the file "pid".
  std::jthread stop_once_it_runs() {
    return std::jthread{[this] {
      EXPECT_NE(awaited("pid"), "");
      stop.request_stop();
    }};
  }

  // A process that is killed is gone only a moment later, and may stay a zombie for longer.
  static bool ends(pid_t process) {
    for (int i = 0; i < 2000 && runs(process); ++i) {
      std::this_thread::sleep_for(milliseconds{5});
    }
    return !runs(process);
  }

  static void expect_no_children() {
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
    EXPECT_EQ(errno, ECHILD);
  }

  std::stop_source stop;

 private:
  std::filesystem::path folder_;
};

TEST_F(Process, TellsExitCodesAndSignals) {
  EXPECT_TRUE(run("exit 0").succeeded());
  EXPECT_EQ(run("exit 65").status, 65);
  EXPECT_EQ(end_text(run("exit 65")), "exit code 65");
  EXPECT_EQ(run("no-such-command-of-ours").status, 127);
  const ProcessResult killed = run("kill -KILL $$");
  EXPECT_EQ(killed.end, ProcessResult::End::signalled);
  EXPECT_EQ(end_text(killed), "signal 9 (Killed)");
  EXPECT_FALSE(killed.succeeded() || killed.stopped);
  expect_no_children();
}

TEST_F(Process, RunsACommandThatBeginsWithADash) { EXPECT_EQ(run("-x; exit 3").status, 3); }

TEST_F(Process, GivesEveryByteOfTheInput) {
  std::string input(3'000'000, 'x');
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = static_cast<char>(i * 7 % 256);
  EXPECT_TRUE(run("cat > " + file("copy"), input).succeeded());
  EXPECT_EQ(contents("copy"), input);
}

TEST_F(Process, DoesNotNeedItsInputToBeRead) {
  const std::string input(3'000'000, 'x');
  EXPECT_TRUE(run("exit 0", input).succeeded());
  EXPECT_TRUE(run("exec <&-; exit 0", input).succeeded());
  EXPECT_TRUE(run("head -c 5 > /dev/null", input).succeeded());
}

TEST_F(Process, KeepsTheEndOfStandardError) {
  EXPECT_EQ(run("echo no such customer >&2; exit 1").errors, "no such customer\n");
  const ProcessResult much = run("seq 1 300000 >&2; printf 'the end' >&2; exit 1");
  EXPECT_EQ(much.errors.size(), kept_error_characters);
  EXPECT_TRUE(much.errors.ends_with("299999\n300000\nthe end"));
}

TEST_F(Process, ReadsAndWritesMuchAtOnce) {
  const std::string input(2'000'000, 'y');
  const ProcessResult result = run("cat >&2; exit 4", input);
  EXPECT_EQ(result.status, 4);
  EXPECT_EQ(result.errors, std::string(kept_error_characters, 'y'));
}

TEST_F(Process, PassesStandardOutputOnByteForByte) {
  testing::internal::CaptureStdout();
  run(R"(printf 'one\ntwo'; printf ' and\000more\n\nend')");
  EXPECT_EQ(testing::internal::GetCapturedStdout(),
            (std::string{"one\ntwo and"} + '\0' + "more\n\nend"));
  testing::internal::CaptureStdout();
  run("head -c 1000000 /dev/zero");
  EXPECT_EQ(testing::internal::GetCapturedStdout(), std::string(1'000'000, '\0'));
}

TEST_F(Process, DoesNotMixTheLinesOfCommandsSideBySide) {
  testing::internal::CaptureStdout();
  {
    std::vector<std::jthread> threads;
    threads.reserve(4);
    for (int thread = 0; thread < 4; ++thread) {
      threads.emplace_back(
          [] { run("for i in 1 2 3 4 5 6 7 8; do printf ab; printf 'cd\\n'; done"); });
    }
  }
  std::string expected;
  for (int i = 0; i < 32; ++i) expected += "abcd\n";
  EXPECT_EQ(testing::internal::GetCapturedStdout(), expected);
}

TEST_F(Process, AddsToTheEnvironmentAndReplacesInIt) {
  ::setenv("TQ_KIND", "stale", 1);
  const ProcessResult result =
      run_process({.command = "echo \"$TQ_KIND $PATH\" >&2; env | grep -c '^TQ_KIND=' >&2",
                   .environment = {{"TQ_KIND", "a=b c"}}},
                  {}, nullptr);
  EXPECT_EQ(result.errors, std::string{"a=b c "} + std::getenv("PATH") + "\n1\n");
  ::unsetenv("TQ_KIND");
}

TEST_F(Process, HasTheUsualSignalsAndNoDescriptorsOfOurs) {
  sigset_t all;
  sigfillset(&all);
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &all, &before);
  const ProcessResult signals = run("grep -E 'SigBlk|SigIgn' /proc/self/status >&2");
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_THAT(signals.errors, HasSubstr("SigBlk:\t0000000000000000"));
  // GNU make leaves glibc's own two signals ignored, and a program cannot change that.
  EXPECT_THAT(signals.errors, ::testing::AnyOf(HasSubstr("SigIgn:\t0000000000000000"),
                                               HasSubstr("SigIgn:\t0000000180000000")));
  EXPECT_EQ(run("ls /proc/self/fd >&2").errors, shell_output("ls /proc/self/fd"));
}

TEST_F(Process, EndsWithTheShellAndKillsWhatIsLeftInTheGroup) {
  const ProcessResult result = run("sleep 1000 & echo $! > " + file("pid") + "; exit 0");
  EXPECT_TRUE(result.succeeded());
  EXPECT_TRUE(ends(std::stoi(contents("pid"))));
  expect_no_children();
}

TEST_F(Process, DoesNotWaitForAProcessThatLeftTheGroup) {
  const ProcessResult result =
      run("setsid sh -c 'echo $$ > " + file("pid") + "; exec sleep 1000' & while ! test -s " +
          file("pid") + "; do sleep 0.01; done; exit 0");
  EXPECT_TRUE(result.succeeded());
  const pid_t daemon = std::stoi(contents("pid"));
  EXPECT_TRUE(runs(daemon));
  ::kill(daemon, SIGKILL);
}

TEST_F(Process, ToldToStopEndsTheWholeGroupBySigterm) {
  const std::jthread later = stop_once_it_runs();
  const ProcessResult result = run_process(
      {.command = "sleep 1000 & echo $! > " + file("pid") + "; wait", .grace = seconds{1000}},
      stop.get_token(), nullptr);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(end_text(result), "signal 15 (Terminated)");
  EXPECT_TRUE(ends(std::stoi(contents("pid"))));
  expect_no_children();
}

TEST_F(Process, ToldToStopMayFinishInItsGrace) {
  const std::jthread later = stop_once_it_runs();
  const ProcessResult result =
      run_process({.command = "trap 'echo saved >&2; exit 0' TERM; echo $$ > " + file("pid") +
                              "; while true; do sleep 0.01; done",
                   .grace = seconds{1000}},
                  stop.get_token(), nullptr);
  EXPECT_TRUE(result.stopped && result.succeeded());
  EXPECT_THAT(result.errors, EndsWith("saved\n"));
}

TEST_F(Process, KillsWhatDoesNotHearSigterm) {
  const std::jthread later = stop_once_it_runs();
  const ProcessResult result =
      run_process({.command = "trap '' TERM; sleep 1000 & echo $! > " + file("pid") + "; wait",
                   .grace = milliseconds{50}},
                  stop.get_token(), nullptr);
  EXPECT_EQ(end_text(result), "signal 9 (Killed)");
  EXPECT_TRUE(ends(std::stoi(contents("pid"))));
}

TEST_F(Process, GivesTheGraceAlsoToWhatOutlivesTheShell) {
  const std::jthread later = stop_once_it_runs();
  const std::string child = "trap 'sleep 0.1; echo saved > " + file("saved") +
                            "; exit 0' TERM; echo $$ > " + file("pid") +
                            "; while true; do sleep 0.01; done";
  const ProcessResult result =
      run_process({.command = "sh -c \"" + std::string{"$CHILD"} + "\" & wait",
                   .environment = {{"CHILD", child}},
                   .grace = seconds{1000}},
                  stop.get_token(), nullptr);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(contents("saved"), "saved\n");
}

TEST_F(Process, StopsForEitherReason) {
  const std::jthread later = stop_once_it_runs();
  EXPECT_TRUE(run_process({.command = "echo $$ > " + file("pid") + "; exec sleep 1000",
                           .hurry = stop.get_token()},
                          {}, nullptr)
                  .stopped);
}

TEST_F(Process, IsNotStartedWhenItIsStoppedAlready) {
  stop.request_stop();
  const ProcessResult result =
      run_process({.command = "touch " + file("ran")}, stop.get_token(), nullptr);
  EXPECT_TRUE(result.stopped);
  EXPECT_FALSE(std::filesystem::exists(file("ran")));
}

TEST_F(Process, RunsOnManyThreadsAtOnce) {
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> threads;
    threads.reserve(8);
    for (int thread = 0; thread < 8; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < 10; ++i) {
          const std::string text = std::to_string(thread) + "-" + std::to_string(i);
          const ProcessResult result = run("cat >&2; exit " + std::to_string(thread), text);
          if (result.status == thread && result.errors == text) ++right;
        }
      });
    }
  }
  EXPECT_EQ(right, 80);
  expect_no_children();
}

TEST_F(Process, DiesWithTheProgramEvenIfThatIsKilled) {
  const pid_t program = fork();
  if (program == 0) {
    Guardian guardian;
    static_cast<void>(run_process({.command = "sleep 1000 & echo $! > " + file("pid") + "; wait"},
                                  {}, &guardian));
    _exit(0);
  }
  const pid_t grandchild = std::stoi(awaited("pid"));
  EXPECT_TRUE(runs(grandchild));
  ::kill(program, SIGKILL);
  waitpid(program, nullptr, 0);
  EXPECT_TRUE(ends(grandchild));
}

TEST(LastCharacters, CutsAtCharacters) {
  EXPECT_EQ(last_characters("äöü", 2), "öü");
  EXPECT_EQ(last_characters("abc", 5), "abc");
  EXPECT_EQ(last_characters("abc", 0), "");
}

}  // namespace
}  // namespace tq::cli
