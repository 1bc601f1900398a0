// Jobs as NDJSON: one object a line, with the column names of the job row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tq/job.hpp"

namespace tq::cli {

/// Builds one JSON object on one line, members in the order of the calls.
class JsonLine {
 public:
  JsonLine& text(std::string_view name, std::string_view value);
  JsonLine& optional_text(std::string_view name, const std::optional<std::string>& value);
  JsonLine& number(std::string_view name, std::int64_t value);
  JsonLine& decimal(std::string_view name, double value);
  JsonLine& boolean(std::string_view name, bool value);
  JsonLine& time(std::string_view name, const std::optional<Timestamp>& value);
  /// JSON text as it is, but with line breaks between its tokens as blanks.
  JsonLine& raw(std::string_view name, std::string_view json);

  [[nodiscard]] std::string str() const { return text_ + "}"; }

 private:
  JsonLine& member(std::string_view name, std::string_view json);
  std::string text_ = "{";
};

/// A row of the job table, in every column.
[[nodiscard]] JsonLine job_json(const JobRow& row);

/// A claimed job: what a worker needs to know.
[[nodiscard]] JsonLine claim_json(const Job& job);

/// Reads one line of NDJSON into a job. The payload is the raw text between its delimiters.
/// Members that the line does not have, or that are null, are left as in `defaults`; a line with
/// `run_at` or `delay` overrides both. Throws UsageError for anything that is not one JSON object
/// of known members; the job itself is not checked.
[[nodiscard]] NewJob parse_job(std::string_view line, const NewJob& defaults);

}  // namespace tq::cli
