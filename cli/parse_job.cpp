#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "json.hpp"
#include "times.hpp"
#include "usage_error.hpp"

namespace tq::cli {
namespace {

namespace ondemand = simdjson::ondemand;

// Columns of the job row, and members of what we print ourselves, that say nothing about a new job.
constexpr std::array<std::string_view, 14> passed_over{
    "state",       "created_at",          "attempts",     "worker_id",  "lease_until",
    "finished_at", "cancel_requested_at", "last_outcome", "last_error", "last_worker",
    "origin",      "generation",          "failures",     "inserted"};

// simdjson finds delimiters fast, but takes things that are not JSON, so the line is judged first.
void check_json(std::string_view line) {
  struct Judge : nlohmann::json_sax<nlohmann::json> {
    std::size_t position = 0;
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t at, const std::string&,
                     const nlohmann::detail::exception&) override {
      position = at;
      return false;
    }
  } judge;
  if (!nlohmann::json::sax_parse(line, &judge)) {
    throw UsageError{fmt::format("not valid JSON at byte {}", judge.position)};
  }
}

std::string text_of(std::string_view name, ondemand::value value) {
  std::string_view text;
  if (value.get_string().get(text) != simdjson::SUCCESS) {
    throw UsageError{fmt::format("{} must be a text in quotation marks", name)};
  }
  return std::string{text};
}

int integer_of(std::string_view name, ondemand::value value) {
  std::int64_t number = 0;
  if (value.get_int64().get(number) != simdjson::SUCCESS || !std::in_range<int>(number)) {
    throw UsageError{fmt::format("{} must be a whole number", name)};
  }
  return static_cast<int>(number);
}

std::string raw_of(ondemand::value value) {
  ondemand::json_type type{};
  std::string_view raw;
  simdjson::error_code error = value.type().get(type);
  if (error == simdjson::SUCCESS && type == ondemand::json_type::object) {
    ondemand::object object;
    error = value.get_object().get(object);
    if (error == simdjson::SUCCESS) error = object.raw_json().get(raw);
  } else if (error == simdjson::SUCCESS && type == ondemand::json_type::array) {
    ondemand::array array;
    error = value.get_array().get(array);
    if (error == simdjson::SUCCESS) error = array.raw_json().get(raw);
  } else if (error == simdjson::SUCCESS) {
    raw = value.raw_json_token();
  }
  if (error != simdjson::SUCCESS) {
    throw UsageError{fmt::format("the payload cannot be read: {}", simdjson::error_message(error))};
  }
  // Each of the three reaches up to the next token.
  return std::string{raw.substr(0, raw.find_last_not_of(" \t\r\n") + 1)};
}

JobId id_of(ondemand::value value) {
  const std::string text = text_of("job_id", value);
  if (const std::optional<JobId> id = JobId::parse(text)) return *id;
  throw UsageError{fmt::format("job_id '{}' is not a UUID", text)};
}

template <class Read>
auto named(std::string_view name, Read read) {
  try {
    return read();
  } catch (const UsageError& error) {
    throw UsageError{fmt::format("{}: {}", name, error.what())};
  }
}

// A line that says when replaces both ways of saying it in the defaults.
struct Draft {
  NewJob job;
  std::optional<Timestamp> run_at = {};
  std::optional<Duration> delay = {};

  [[nodiscard]] NewJob finished() && {
    if (run_at || delay) {
      job.run_at = run_at;
      job.delay = delay.value_or(Duration::zero());
    }
    return std::move(job);
  }
};

void set_member(Draft& draft, std::string_view name, ondemand::value value) {
  NewJob& job = draft.job;
  if (name == "payload") {
    job.payload = raw_of(value);  // null is a payload too
  } else if (value.is_null()) {
    return;
  } else if (name == "queue") {
    job.queue = text_of(name, value);
  } else if (name == "kind") {
    job.kind = text_of(name, value);
  } else if (name == "priority") {
    job.priority = integer_of(name, value);
  } else if (name == "max_attempts") {
    job.max_attempts = integer_of(name, value);
  } else if (name == "run_at") {
    draft.run_at = named(name, [&] { return parse_time(text_of("it", value)); });
  } else if (name == "delay") {
    draft.delay = named(name, [&] { return parse_duration(text_of("it", value)); });
  } else if (name == "unique_key") {
    job.unique_key = text_of(name, value);
  } else if (name == "group_key") {
    job.group_key = text_of(name, value);
  } else if (name == "job_id") {
    job.job_id = id_of(value);
  } else if (std::ranges::find(passed_over, name) == passed_over.end()) {
    throw UsageError{
        fmt::format("unknown member '{}'; a job has queue, kind, payload, priority, run_at, delay, "
                    "max_attempts, unique_key, group_key, job_id",
                    name)};
  }
}

ondemand::object object_of(ondemand::document& document) {
  ondemand::object object;
  if (document.get_object().get(object) != simdjson::SUCCESS) {
    throw UsageError{"a job must be a JSON object on a line of its own"};
  }
  return object;
}

}  // namespace

NewJob parse_job(std::string_view line, const NewJob& defaults) {
  check_json(line);
  thread_local ondemand::parser parser;
  const simdjson::padded_string padded{line};
  ondemand::document document;
  if (const simdjson::error_code error = parser.iterate(padded).get(document)) {
    throw UsageError{fmt::format("not valid JSON: {}", simdjson::error_message(error))};
  }
  Draft draft{.job = defaults};
  std::set<std::string, std::less<>> seen;
  for (auto field : object_of(document)) {
    const std::string name{field.unescaped_key().value()};
    if (!seen.insert(name).second) throw UsageError{fmt::format("'{}' is given twice", name)};
    set_member(draft, name, field.value());
  }
  return std::move(draft).finished();
}

}  // namespace tq::cli
