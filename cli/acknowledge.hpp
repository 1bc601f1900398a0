// What complete, fail, snooze and extend have in common: which claims they speak of, and the
// answers.
#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <string>
#include <vector>

#include "command.hpp"
#include "tq/job.hpp"

namespace tq::cli {

/// The claims named on the command line, or by `job_id generation` lines on standard input.
class Leases {
 public:
  void describe(CLI::App& app);

  /// Throws UsageError, naming the line.
  [[nodiscard]] std::vector<Lease> read() const;

 private:
  std::string job_;
  std::string generation_;
  std::string worker_;
};

/// Sends an acknowledgement for each claim, in batches, asks again for those whose row another
/// transaction held, and prints each answer. The exit code is Exit::lost if any was refused.
Exit acknowledge(Session& session, const std::vector<Lease>& leases,
                 const std::function<Acknowledgement(const Lease&, const Queue&)>& word);

}  // namespace tq::cli
