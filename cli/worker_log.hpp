// A worker's events as lines on standard error.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tq/worker.hpp"

namespace tq::cli {

enum class Detail : std::uint8_t { warnings, usual, everything };

/// Sets up the log: local time zone not used, UTC; colours on a terminal only. Call it once.
void open_log(Detail detail);

/// Writes each event as one line, with the job's id and without its payload. Any thread may call
/// the result; `prefix` names the database where there are several.
[[nodiscard]] std::function<void(const WorkerEvent&)> log_events(std::string prefix);

/// Writes each event to standard output, as one JSON object a line. `on_lost` hears of an errno
/// with which that failed. Any thread may call the result.
[[nodiscard]] std::function<void(const WorkerEvent&)> print_events(
    std::string database, std::function<void(int)> on_lost);

/// A line of our own.
void log_note(const std::string& text);
void log_error(const std::string& text);

}  // namespace tq::cli
