#include "exec_handler.hpp"

#include <sysexits.h>

#include <stdexcept>
#include <utility>

#include "process.hpp"

namespace tq::cli {
namespace {

ProcessRequest request_for(const std::string& command, const Job& job) {
  return {.command = command,
          .input = job.payload,
          .environment = {{"TQ_JOB_ID", job.job_id.text()},
                          {"TQ_KIND", job.kind},
                          {"TQ_GENERATION", std::to_string(job.generation)},
                          {"TQ_ATTEMPT", std::to_string(job.generation)},
                          {"TQ_QUEUE", job.queue}}};
}

// How it ended, then as much of the end of standard error as fits.
std::string error_text(const ProcessResult& result) {
  std::string text = end_text(result);
  std::string errors = result.errors;
  errors.erase(errors.find_last_not_of(" \t\r\n") + 1);
  if (errors.empty()) return text;
  text += ": ";
  return text + last_characters(errors, max_error_characters - text.size());
}

ProcessResult run(const ProcessRequest& request, const std::stop_token& one,
                  const std::stop_token& other, Guardian& guardian) {
  std::stop_source either;
  const auto stop = [&either] { either.request_stop(); };
  const std::stop_callback on_one{one, stop};
  const std::stop_callback on_other{other, stop};
  return run_process(request, either.get_token(), &guardian);
}

}  // namespace

Handler exec_handler(std::string command, std::stop_token hurry, Guardian& guardian) {
  return [command = std::move(command), hurry = std::move(hurry), &guardian](const Job& job,
                                                                             Context& context) {
    const ProcessResult result =
        run(request_for(command, job), context.stop_token(), hurry, guardian);
    if (result.succeeded()) return;
    if (context.stop_token().stop_requested()) {
      throw std::runtime_error{"stopped: " + error_text(result)};  // the worker knows why
    }
    if (result.stopped) return context.snooze(Duration::zero());
    if (result.end == ProcessResult::End::exited && result.status == EX_DATAERR) {
      return context.reject(error_text(result));
    }
    context.retry(error_text(result));
  };
}

}  // namespace tq::cli
