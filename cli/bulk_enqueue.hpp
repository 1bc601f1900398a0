// Many jobs from NDJSON, all or nothing.
#pragma once

#include <span>
#include <string>

#include "command.hpp"
#include "tq/job.hpp"

namespace tq::cli {

/// Reads `file` ("-": standard input) and stores its jobs in one transaction. Throws UsageError
/// that names the line, and then nothing is stored.
Exit bulk_enqueue(Session& session, const std::string& file, const NewJob& defaults);

/// Prints an id for each job, and says how many were refused.
void print_enqueued(Session& session, std::span<const Enqueued> answers);

}  // namespace tq::cli
