#include "json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "times.hpp"

namespace tq::cli {
namespace {

std::string json_text(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

JsonLine& JsonLine::member(std::string_view name, std::string_view json) {
  if (text_.size() > 1) text_ += ',';
  text_ += json_text(name);
  text_ += ':';
  text_ += json;
  return *this;
}

JsonLine& JsonLine::text(std::string_view name, std::string_view value) {
  return member(name, json_text(value));
}

JsonLine& JsonLine::optional_text(std::string_view name, const std::optional<std::string>& value) {
  return member(name, value ? json_text(*value) : "null");
}

JsonLine& JsonLine::number(std::string_view name, std::int64_t value) {
  return member(name, std::to_string(value));
}

JsonLine& JsonLine::decimal(std::string_view name, double value) {
  return member(name, fmt::format("{:.6f}", value));
}

JsonLine& JsonLine::boolean(std::string_view name, bool value) {
  return member(name, value ? "true" : "false");
}

JsonLine& JsonLine::time(std::string_view name, const std::optional<Timestamp>& value) {
  return member(name, value ? json_text(format_time(*value)) : "null");
}

JsonLine& JsonLine::raw(std::string_view name, std::string_view json) {
  // Inside a JSON string a line break can only be an escape, so these stand between tokens.
  std::string one_line{json};
  std::ranges::replace_if(
      one_line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return member(name, one_line);
}

JsonLine job_json(const JobRow& row) {
  JsonLine line;
  line.text("job_id", row.job_id.text())
      .text("queue", row.queue)
      .text("kind", row.kind)
      .raw("payload", row.payload)
      .text("state", name(row.state))
      .number("priority", row.priority)
      .time("run_at", row.run_at)
      .time("created_at", row.created_at)
      .number("attempts", row.attempts)
      .number("max_attempts", row.max_attempts)
      .optional_text("worker_id", row.worker_id)
      .time("lease_until", row.lease_until)
      .time("finished_at", row.finished_at)
      .optional_text("last_worker", row.last_worker)
      .optional_text("last_outcome", row.last_outcome)
      .optional_text("last_error", row.last_error)
      .time("cancel_requested_at", row.cancel_requested_at)
      .optional_text("unique_key", row.unique_key)
      .optional_text("group_key", row.group_key)
      .optional_text("origin", row.origin);
  return line;
}

JsonLine claim_json(const Job& job) {
  JsonLine line;
  line.text("job_id", job.job_id.text())
      .number("generation", job.generation)
      .text("queue", job.queue)
      .text("kind", job.kind)
      .raw("payload", job.payload)
      .number("priority", job.priority)
      .time("run_at", job.run_at)
      .number("attempts", job.generation)
      .number("max_attempts", job.max_attempts)
      .time("lease_until", job.lease_until)
      .text("worker_id", job.worker);
  return line;
}

}  // namespace tq::cli
