#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <string>
#include <thread>
#include <vector>

#include "commands.hpp"
#include "exec_handler.hpp"
#include "guardian.hpp"
#include "options.hpp"
#include "signals.hpp"
#include "tq/error.hpp"
#include "usage_error.hpp"
#include "worker_log.hpp"

namespace tq::cli {
namespace {

constexpr const char* more_help =
    "  tq work -q mail --exec 'jq -r .to | xargs send-mail'\n"
    "  tq work -q mail -q reports --concurrency 8 --lease 5m --exec ./handle-job\n"
    "  tq work -q mail --drain --exec ./handle-job\n\n"
    "The command is run by /bin/sh for each job, in a process group of its own:\n"
    "  standard input   the payload, byte for byte\n"
    "  environment      TQ_JOB_ID, TQ_KIND, TQ_GENERATION, TQ_ATTEMPT, TQ_QUEUE\n"
    "  standard output  and standard error are passed on to those of tq, line by line\n"
    "  exit code 0      the job is completed\n"
    "  exit code 65     (EX_DATAERR) the job becomes dead, without another attempt\n"
    "  75, any other, a signal   the job is tried again later, the end of standard error is its\n"
    "                   error; dead when its attempts are used up\n"
    "The lease is extended while the command runs. When it is lost all the same, when the job is\n"
    "cancelled, or when --grace is over, the whole process group gets SIGTERM, and SIGKILL 5 s\n"
    "later. A job has ended when the shell has ended: what it leaves running in its group is\n"
    "killed then. A process that has to outlive its job must leave the group (setsid) and "
    "redirect\n"
    "its standard error.\n"
    "On SIGTERM, SIGINT or SIGHUP: no further claims, jobs not yet started are given back, those\n"
    "that run have --grace to finish. A second signal ends the commands at once and gives their\n"
    "jobs back.\n"
    "Output that cannot be passed on ends the worker with exit code 1; its job is given back.\n"
    "With --drain a delayed job, or a ready one of a paused queue, is waited for.\n"
    "Several --db: a worker for each of them, with --concurrency commands each.\n"
    "Exit code with --drain: 0 whatever the jobs did; 1 only for the database.";

class Work final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app = add_command(tq, "work", "Run a command for each job of some queues",
                                group::worker, more_help);
    app->add_option("-q,--queue", queues_, "A queue to work on; may be repeated")
        ->required()
        ->allow_extra_args(false)
        ->type_name("TEXT");
    add_text(*app, "--exec", command_, "The command, for /bin/sh")->required();
    app->add_option("-c,--concurrency", options_.threads, "Commands at once, 1..1000")
        ->capture_default_str();
    add_duration(*app, "--lease", options_.lease,
                 "How long a claim lasts unextended (default 60s)");
    add_duration(*app, "--grace", options_.grace, "For running commands at the end (default 30s)");
    app->add_flag("--drain", options_.drain,
                  "Return when no ready (delayed ones included) and no running job is left");
    add_text(*app, "--worker", options_.name, "Name of the owner (default: host and process)");
    CLI::Option* quiet = app->add_flag("--quiet", quiet_, "Log only warnings and errors");
    app->add_flag("-v,--verbose", verbose_, "Log each start and repetition too")->excludes(quiet);
    return app;
  }

  Exit run(Session& session) override {
    if (command_.find_first_not_of(" \t\r\n") == std::string::npos) {
      throw UsageError{"--exec is empty, so every job would be completed without doing anything"};
    }
    open_log(quiet_ ? Detail::warnings : verbose_ ? Detail::everything : Detail::usual);
    for (const std::string& queue : queues_) options_.queues.push_back({.queue = queue});
    const std::vector<Database> databases = session.databases();
    for (const Database& database : databases) require_schema(*database.connect(), database);
    Guardian guardian;  // before any thread
    std::stop_source stop;
    std::stop_source hurry;
    const StopSignals signals{[&](int signal, int before) {
      log_note(fmt::format(
          "signal {}: {}", signal,
          before == 0 ? "stopping; once more to end running commands" : "ending running commands"));
      (before == 0 ? stop : hurry).request_stop();
    }};
    std::atomic<int> output_failure = 0;
    const ExecOptions exec{.command = command_,
                           .hurry = hurry.get_token(),
                           .guardian = &guardian,
                           .on_output_lost = [&](int error) {
                             output_failure = error;
                             stop.request_stop();
                             hurry.request_stop();
                           }};
    std::vector<std::unique_ptr<Worker>> workers;
    for (const Database& database : databases) {
      WorkerOptions options = options_;
      options.on_event = log_events(databases.size() > 1 ? database.shown + " " : std::string{});
      workers.push_back(std::make_unique<Worker>(database.queue, database.connect, options));
      workers.back()->on_any(exec_handler(exec));
    }
    run_all(workers, stop);
    if (output_failure != 0) {
      throw OutputError{fmt::format("cannot pass on a command's output: {}; its job was given back",
                                    std::strerror(output_failure))};
    }
    return Exit::done;
  }

 private:
  // A worker that cannot go on does not end the others; the first failure is thrown in the end.
  static void run_all(const std::vector<std::unique_ptr<Worker>>& workers,
                      const std::stop_source& stop) {
    std::vector<std::exception_ptr> failures(workers.size());
    {
      std::vector<std::jthread> threads;
      for (std::size_t i = 0; i < workers.size(); ++i) {
        threads.emplace_back([&, i] {
          try {
            workers[i]->run(stop.get_token());
          } catch (...) {
            failures[i] = std::current_exception();
          }
        });
      }
    }
    const auto failed = std::ranges::find_if(failures, [](const auto& f) { return f != nullptr; });
    if (failed != failures.end()) std::rethrow_exception(*failed);
  }

  std::vector<std::string> queues_;
  std::string command_;
  WorkerOptions options_;
  bool quiet_ = false;
  bool verbose_ = false;
};

}  // namespace

std::unique_ptr<Command> make_work() { return std::make_unique<Work>(); }

}  // namespace tq::cli
