// Which jobs an operator means: ids, or all that a filter matches.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "command.hpp"
#include "tq/job.hpp"

namespace tq::cli {

/// The options JOB_ID..., --queue, --kind, --all and --yes.
class Selection {
 public:
  void describe(CLI::App& app);

  /// Throws UsageError for an id that is none, ids with a filter, or neither.
  void check() const;

  [[nodiscard]] bool by_filter() const noexcept { return all_; }
  [[nodiscard]] std::vector<JobId> ids() const;

  /// Calls `use` with each page of the jobs that match, in one of `states`. Without --yes they
  /// are only counted, and UsageError says how many it would have been.
  void for_each_page(const Opened& opened, std::span<const State> states, std::string_view verb,
                     const std::function<void(std::span<const JobId>)>& use) const;

 private:
  std::vector<std::string> ids_;
  std::optional<std::string> queue_;
  std::optional<std::string> kind_;
  bool all_ = false;
  bool yes_ = false;
};

}  // namespace tq::cli
