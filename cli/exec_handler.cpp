#include "exec_handler.hpp"

#include <sysexits.h>

#include <stdexcept>
#include <utility>

#include "process.hpp"

namespace tq::cli {
namespace {

ProcessRequest request_for(const ExecOptions& options, const Job& job) {
  return {.command = options.command,
          .input = job.payload,
          .environment = {{"TQ_JOB_ID", job.job_id.text()},
                          {"TQ_KIND", job.kind},
                          {"TQ_GENERATION", std::to_string(job.generation)},
                          {"TQ_ATTEMPT", std::to_string(job.generation)},
                          {"TQ_QUEUE", job.queue}},
          .output = options.output,
          .hurry = options.hurry};
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

}  // namespace

Handler exec_handler(ExecOptions options) {
  return [options = std::move(options)](const Job& job, Context& context) {
    const ProcessResult result =
        run_process(request_for(options, job), context.stop_token(), options.guardian);
    if (result.output_failure != 0) {
      options.on_output_lost(result.output_failure);
      return context.snooze(Duration::zero());
    }
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
