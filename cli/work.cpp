#include <fmt/format.h>
#include <unistd.h>

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
#include "queue_weight.hpp"
#include "signals.hpp"
#include "tq/error.hpp"
#include "usage_error.hpp"
#include "worker_log.hpp"

namespace tq::cli {
namespace {

constexpr const char* more_help =
    "  tq work -q mail --exec 'jq -r .to | xargs send-mail'\n"
    "  tq work -q mail:3 -q reports --concurrency 8 --lease 5m --exec ./handle-job\n"
    "  tq work -q mail --drain --exec ./handle-job\n"
    "  tq work -q mail --drain --quiet --json --exec ./handle-job > events.ndjson\n\n"
    "The command is run by /bin/sh for each job, in a process group of its own:\n"
    "  standard input   the payload, byte for byte\n"
    "  environment      TQ_JOB_ID, TQ_KIND, TQ_GENERATION, TQ_ATTEMPT, TQ_QUEUE\n"
    "  standard output  and standard error are passed on to those of tq, line by line\n"
    "  exit code 0      the job is completed\n"
    "  exit code 65     (EX_DATAERR) the job becomes dead, without another attempt\n"
    "  any other        75, or a signal: the job is tried again later, the end of standard error\n"
    "                   is its error; dead when its attempts are used up\n\n"
    "The lease is extended while the command runs. When it is lost all the same, when the job is\n"
    "cancelled, or when --grace is over, the whole process group gets SIGTERM, and SIGKILL 5 s\n"
    "later. A job has ended when the shell has ended: what it leaves running in its group is\n"
    "killed then. A process that has to outlive its job must leave the group (setsid) and\n"
    "redirect its standard error.\n\n"
    "On SIGTERM, SIGINT or SIGHUP: no further claims, jobs not yet started are given back, those\n"
    "that run have --grace to finish. A second signal ends the commands at once and gives their\n"
    "jobs back. What comes within 200 ms of the first is one with it: timeout(1) sends two.\n\n"
    "Output that cannot be passed on ends the worker with exit code 1; its job is given back.\n\n"
    "A queue of weight 3 (mail:3) is looked at first three times as often as one of weight 1. A\n"
    "name that ends so itself needs its weight: -q a:7:1 is the queue a:7.\n\n"
    "With --json standard output has one object a line for each event: started, finished,\n"
    "lease_lost, cancel_requested, retried, disconnected, reaped, purged, purge_refused,\n"
    "stopping. What the commands print goes to standard error then.\n\n"
    "About once a minute succeeded and cancelled jobs of these queues that finished longer than\n"
    "--purge-after ago are deleted, with their failures. Dead ones stay: see tq purge.\n\n"
    "With --drain a delayed job, or a ready one of a paused queue, is waited for. The exit code\n"
    "is 0 whatever the jobs did; 1 only for the database.\n\n"
    "Several --db: a worker for each of them, with --concurrency commands each.";

class Work final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app = add_command(tq, "work", "Run a command for each job of some queues",
                                group::worker, more_help);
    app->add_option("-q,--queue", queues_, "A queue to work on, with its weight; may be repeated")
        ->required()
        ->allow_extra_args(false)
        ->type_name("QUEUE[:WEIGHT]");
    add_text(*app, "--exec", command_, "The command, for /bin/sh")
        ->required()
        ->type_name("COMMAND");
    add_number(*app, "-c,--concurrency", options_.threads, {1, 1000}, "Commands at once, 1..1000");
    add_duration(*app, "--lease", options_.lease,
                 "How long a claim lasts unextended (default 60s)");
    add_duration(*app, "--grace", options_.grace, "For running commands at the end (default 30s)");
    add_duration(*app, "--purge-after", options_.purge_after,
                 "Delete finished jobs after this (default 7d; 0s: never)");
    app->add_flag("--drain", options_.drain,
                  "Return when no ready (delayed ones included) and no running job is left");
    add_worker(*app, options_.name, "Name of the owner (default: host and process)");
    CLI::Option* quiet = app->add_flag("--quiet", quiet_, "Log only warnings and errors");
    app->add_flag("-v,--verbose", verbose_, "Log each start and repetition too")->excludes(quiet);
    return app;
  }

  Exit run(Session& session) override {
    if (command_.find_first_not_of(" \t\r\n") == std::string::npos) {
      throw UsageError{"--exec is empty, so every job would be completed without doing anything"};
    }
    open_log(quiet_ ? Detail::warnings : verbose_ ? Detail::everything : Detail::usual);
    for (const std::string& queue : queues_) options_.queues.push_back(parse_queue_weight(queue));
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
    const auto on_output_lost = [&](int error) {
      output_failure = error;
      stop.request_stop();
      hurry.request_stop();
    };
    const ExecOptions exec{.command = command_,
                           .hurry = hurry.get_token(),
                           .guardian = &guardian,
                           .output = session.json ? STDERR_FILENO : STDOUT_FILENO,
                           .on_output_lost = on_output_lost};
    std::vector<std::unique_ptr<Worker>> workers;
    for (const Database& database : databases) {
      WorkerOptions options = options_;
      options.on_event = log_events(databases.size() > 1 ? database.shown + " " : std::string{});
      if (session.json) {
        options.on_event = [log = options.on_event,
                            print = print_events(database.shown, on_output_lost)](
                               const WorkerEvent& event) { print(event), log(event); };
      }
      workers.push_back(std::make_unique<Worker>(database.queue, database.connect, options));
      workers.back()->on_any(exec_handler(exec));
    }
    run_all(workers, stop);
    if (output_failure != 0) {
      throw OutputError{fmt::format("cannot pass on {}: {}; jobs that ran were given back",
                                    session.json ? "events" : "a command's output",
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
