#include "validate.hpp"

#include <array>
#include <nlohmann/json.hpp>

#include "tq/error.hpp"
#include "utf8.hpp"

namespace tq {
namespace {

[[noreturn]] void refuse(std::string_view field, const std::string& why) {
  throw Error{Errc::invalid_argument, std::string{field} + ": " + why};
}

bool blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// Walks a JSON text once and keeps nothing but the depth.
class DepthCheck final : public nlohmann::json_sax<nlohmann::json> {
 public:
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(std::int64_t /*value*/) override { return true; }
  bool number_unsigned(std::uint64_t /*value*/) override { return true; }
  bool number_float(double /*value*/, const std::string& /*text*/) override { return true; }
  bool string(std::string& /*value*/) override { return true; }
  bool binary(nlohmann::json::binary_t& /*value*/) override { return true; }
  bool key(std::string& /*value*/) override { return true; }
  bool start_object(std::size_t /*size*/) override { return enter(); }
  bool start_array(std::size_t /*size*/) override { return enter(); }
  bool end_object() override { return leave(); }
  bool end_array() override { return leave(); }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::json::exception& error) override {
    constexpr int number_overflow = 406;
    refuse("payload", error.id == number_overflow
                          ? "a number near byte " + std::to_string(position) +
                                " is beyond the range of a double; send it as a string"
                          : "not valid JSON near byte " + std::to_string(position));
  }

 private:
  bool enter() {
    if (++depth_ > max_payload_depth) {
      refuse("payload", "nested deeper than " + std::to_string(max_payload_depth) +
                            " levels, which not every engine can keep");
    }
    return true;
  }
  bool leave() {
    --depth_;
    return true;
  }
  int depth_ = 0;
};

// In the largest unit that gives a whole number: 1s, 100d.
std::string duration_text(Duration value) {
  constexpr std::array<std::pair<std::int64_t, const char*>, 5> units{{{86'400'000'000, "d"},
                                                                       {3'600'000'000, "h"},
                                                                       {60'000'000, "m"},
                                                                       {1'000'000, "s"},
                                                                       {1'000, "ms"}}};
  for (const auto& [micros, unit] : units) {
    if (value.count() != 0 && value.count() % micros == 0) {
      return std::to_string(value.count() / micros) + unit;
    }
  }
  return value.count() == 0 ? "0s" : std::to_string(value.count()) + "us";
}

}  // namespace

void check_name(std::string_view field, std::string_view value) {
  const auto limit = "a name has 1 to " + std::to_string(max_name_characters) + " characters";
  if (value.empty()) refuse(field, "is empty; " + limit);
  if (blank(value.front()) || blank(value.back())) refuse(field, "begins or ends with a blank");
  std::size_t characters = 0;
  for (auto rest = value; !rest.empty(); ++characters) {
    const auto bytes = character_bytes(rest);
    if (bytes == 0) refuse(field, "is not valid UTF-8");
    if (rest.front() == '\0') refuse(field, "holds a NUL character");
    rest.remove_prefix(bytes);
  }
  if (characters > max_name_characters) {
    refuse(field, "has " + std::to_string(characters) + " characters; " + limit);
  }
}

void check_payload(std::string_view payload, std::size_t max_bytes) {
  if (payload.size() > max_bytes) {
    refuse("payload", "has " + std::to_string(payload.size()) + " bytes, the limit is " +
                          std::to_string(max_bytes) + "; store it elsewhere and send a reference");
  }
  if (payload.find('\0') != std::string_view::npos) {
    refuse("payload", "holds a NUL character; JSON writes it as \\u0000");
  }
  if (payload.starts_with("\xEF\xBB\xBF")) {
    refuse("payload", "begins with a byte order mark; JSON text has none");
  }
  DepthCheck check;
  nlohmann::json::sax_parse(payload, &check);
}

void check_range(std::string_view field, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value >= low && value <= high) return;
  refuse(field, "is " + std::to_string(value) + "; it must be " + std::to_string(low) + " to " +
                    std::to_string(high));
}

void check_duration(std::string_view field, Duration value, Duration low, Duration high) {
  if (value >= low && value <= high) return;
  refuse(field, "is " + duration_text(value) + "; it must be " + duration_text(low) + " to " +
                    duration_text(high));
}

void check_job(const NewJob& job, std::size_t max_payload_bytes) {
  check_name("queue", job.queue);
  check_name("kind", job.kind);
  if (job.unique_key) check_name("unique_key", *job.unique_key);
  if (job.group_key) check_name("group_key", *job.group_key);
  check_range("priority", job.priority, lowest_priority, highest_priority);
  check_range("max_attempts", job.max_attempts, 1, 1'000'000);
  check_duration("delay", job.delay, Duration{0}, longest_duration);
  if (job.run_at) {
    if (job.delay != Duration{0}) refuse("run_at", "given together with delay; choose one");
    // Every engine keeps these years: MySQL's DATETIME ends with 9999.
    constexpr Timestamp first = std::chrono::sys_days{std::chrono::year{1970} / 1 / 1};
    constexpr Timestamp end = std::chrono::sys_days{std::chrono::year{9999} / 1 / 1};
    if (*job.run_at < first || *job.run_at >= end) {
      refuse("run_at", "is out of range; it must be in the years 1970 to 9998");
    }
  }
  if (job.job_id && job.job_id->nil()) refuse("job_id", "is the nil UUID");
  check_payload(job.payload, max_payload_bytes);
}

std::string storable_error(std::string_view text) {
  constexpr std::string_view replacement = "\xEF\xBF\xBD";
  std::string out;
  for (std::size_t characters = 0; !text.empty() && characters < max_error_characters;
       ++characters) {
    const auto bytes = character_bytes(text);
    const bool good = bytes > 0 && text.front() != '\0';
    out += good ? text.substr(0, bytes) : replacement;
    text.remove_prefix(good ? bytes : 1);
  }
  return out;
}

}  // namespace tq
