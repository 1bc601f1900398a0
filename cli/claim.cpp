#include <fmt/format.h>

#include "commands.hpp"
#include "json.hpp"
#include "options.hpp"

namespace tq::cli {
namespace {

class Claim final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app = add_command(
        tq, "claim", "Take due jobs of a queue and print them as NDJSON", group::worker,
        "  tq claim -q mail\n"
        "  tq claim -q mail -n 10 --lease 5m --worker \"mailer@$(hostname)\"\n"
        "  job=$(tq claim -q mail) && send-mail \"$(echo \"$job\" | jq -r .payload.to)\" &&\n"
        "    tq complete $(echo \"$job\" | jq -r '\"\\(.job_id) \\(.generation)\"')\n\n"
        "Exit code 3: no job is due. Finish each job with tq complete, fail or snooze\n"
        "before its lease ends, or make the lease longer with tq extend; after the end\n"
        "of the lease the job is given to someone else.");
    add_text(*app, "-q,--queue", request_.queue, "The queue to take from")->required();
    add_number(*app, "-n,--limit", request_.limit, {1, 1000}, "Take at most so many, 1..1000");
    add_worker(*app, request_.worker,
               "Name of the owner; must be the same when the job is finished (default: TQ_WORKER, "
               "or user@host)");
    add_duration(*app, "--lease", request_.lease, "How long the jobs are yours (default 60s)");
    return app;
  }

  Exit run(Session& session) override {
    if (request_.worker.empty()) request_.worker = default_worker();
    const Opened opened = open(session);
    const std::vector<Job> jobs = opened.queue.claim(*opened.connection, request_);
    try {
      for (const Job& job : jobs) session.out.line(claim_json(job).str());
      session.out.flush();
    } catch (const OutputError&) {
      give_back(opened, jobs);
      throw OutputError{"cannot write the claimed jobs, so they were given back"};
    }
    return jobs.empty() ? Exit::nothing : Exit::done;
  }

 private:
  // Nobody knows of these claims.
  static void give_back(const Opened& opened, const std::vector<Job>& jobs) {
    std::vector<Acknowledgement> words;
    words.reserve(jobs.size());
    for (const Job& job : jobs) words.push_back({.lease = job.lease(), .verb = Verb::released});
    static_cast<void>(opened.queue.finish(*opened.connection, words));
  }

  ClaimRequest request_;
};

}  // namespace

std::unique_ptr<Command> make_claim() { return std::make_unique<Claim>(); }

}  // namespace tq::cli
