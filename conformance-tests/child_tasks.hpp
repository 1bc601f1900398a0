// What a child process can be asked to do.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend.hpp"

namespace tq::conformance {

/// Gives the exit code: 0 if all went well. May throw.
using ChildTask = std::function<int(const Place&, const std::vector<std::string>& arguments)>;

/// Throws std::out_of_range for a name that is not there.
///   install                      installs the schema
///   die_in_transaction QUEUE     in-transaction mode; exits in the middle of the handler
///   produce QUEUE THREADS JOBS   each thread enqueues that many jobs, one by one
///   drain QUEUE                  a worker that records each job in tqc_history until none is left
[[nodiscard]] ChildTask child_task(const std::string& name);

}  // namespace tq::conformance
