#include "selection.hpp"

#include <fmt/format.h>

#include "options.hpp"
#include "usage_error.hpp"

namespace tq::cli {
namespace {

void each_page(const Opened& opened, ListRequest request,
               const std::function<void(std::span<const JobId>)>& use) {
  request.limit = 200;  // payloads come along
  while (true) {
    std::vector<JobId> page;
    for (const JobRow& row : opened.queue.list(*opened.connection, request)) {
      page.push_back(row.job_id);
    }
    if (page.empty()) return;
    use(page);
    request.after = page.back();
  }
}

}  // namespace

void Selection::describe(CLI::App& app) {
  app.add_option("JOB_ID", ids_, "Whole ids of jobs")->type_name("JOB_ID");
  add_text(app, "-q,--queue", queue_, "With --all: only of this queue");
  add_text(app, "--kind", kind_, "With --all: only of this kind");
  app.add_flag("--all", all_, "All that match --queue and --kind, instead of ids");
  app.add_flag("--yes", yes_, "Really do it to --all");
}

void Selection::check() const {
  if (all_ && !ids_.empty()) throw UsageError{"give ids or --all, not both"};
  if (!all_ && ids_.empty()) throw UsageError{"which jobs? Give their ids, or --all with a filter"};
  if (!all_ && (queue_ || kind_)) {
    throw UsageError{"--queue and --kind choose jobs only together with --all"};
  }
  static_cast<void>(ids());
}

std::vector<JobId> Selection::ids() const {
  std::vector<JobId> result;
  for (const std::string& text : ids_) result.push_back(parse_id(text));
  return result;
}

void Selection::for_each_page(const Opened& opened, std::span<const State> states,
                              std::string_view verb,
                              const std::function<void(std::span<const JobId>)>& use) const {
  std::size_t count = 0;
  for (const State state : states) {
    each_page(opened, {.queue = queue_, .kind = kind_, .state = state},
              [&](std::span<const JobId> page) {
                count += page.size();
                if (yes_) use(page);
              });
  }
  if (!yes_ && count > 0) {
    throw UsageError{fmt::format("this would {} {} job{}; add --yes to do it", verb, count,
                                 count == 1 ? "" : "s")};
  }
}

}  // namespace tq::cli
