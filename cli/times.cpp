#include "times.hpp"

#include <date/date.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>

#include "usage_error.hpp"

namespace tq::cli {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t micros;
};

constexpr std::array units{Unit{"ms", 1'000}, Unit{"s", 1'000'000}, Unit{"m", 60'000'000},
                           Unit{"h", 3'600'000'000}, Unit{"d", 86'400'000'000}};

[[noreturn]] void bad_duration(std::string_view text, std::string_view why) {
  throw UsageError{fmt::format(
      "'{}' is not a duration: {}. Write a whole number with a unit: 500ms, 30s, 5m, 2h, 7d", text,
      why)};
}

[[noreturn]] void bad_time(std::string_view text, std::string_view why) {
  throw UsageError{
      fmt::format("'{}' is not a time: {}. Write it as RFC 3339 does: 2026-01-31T18:30:00Z or "
                  "2026-01-31T18:30:00.250+02:00",
                  text, why)};
}

bool digit(char c) { return c >= '0' && c <= '9'; }

// `pattern`: 0 stands for any digit, T for T, t or a blank, anything else for itself.
bool matches(std::string_view text, std::string_view pattern) {
  if (text.size() != pattern.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char want = pattern[i];
    const bool fits = want == '0'   ? digit(text[i])
                      : want == 'T' ? text[i] == 'T' || text[i] == 't' || text[i] == ' '
                                    : text[i] == want;
    if (!fits) return false;
  }
  return true;
}

int number(std::string_view digits) {
  int value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

// The text has the shape of a day and a time of day; whether they exist is decided here.
Timestamp day_and_time(std::string_view text) {
  const date::year_month_day day{date::year{number(text.substr(0, 4))},
                                 date::month{static_cast<unsigned>(number(text.substr(5, 2)))},
                                 date::day{static_cast<unsigned>(number(text.substr(8, 2)))}};
  const int hours = number(text.substr(11, 2));
  const int minutes = number(text.substr(14, 2));
  const int seconds = number(text.substr(17, 2));
  if (!day.ok() || hours > 23 || minutes > 59 || seconds > 59) {
    bad_time(text, "there is no such day or time of day");
  }
  return date::sys_days{day} + std::chrono::hours{hours} + std::chrono::minutes{minutes} +
         std::chrono::seconds{seconds};
}

// ".25" in microseconds.
Duration fraction_of(std::string_view fraction, std::string_view whole) {
  constexpr std::size_t most = 6;
  std::string digits{fraction.substr(1)};
  if (digits.empty()) bad_time(whole, "digits are missing after the point");
  if (digits.size() > most) bad_time(whole, "times have at most six digits of a second");
  digits.resize(most, '0');
  return Duration{number(digits)};
}

// "Z", "z", "+02:00" or "-02:00" in minutes.
std::chrono::minutes offset(std::string_view zone, std::string_view whole) {
  if (zone == "Z" || zone == "z") return {};
  const bool east = matches(zone, "+00:00");
  if (!east && !matches(zone, "-00:00")) {
    bad_time(whole, "it needs Z or an offset such as +02:00 at the end");
  }
  const int hours = number(zone.substr(1, 2));
  const int minutes = number(zone.substr(4, 2));
  if (hours > 23 || minutes > 59) bad_time(whole, "there is no such offset");
  const std::chrono::minutes total{hours * 60 + minutes};
  return east ? total : -total;
}

}  // namespace

Duration parse_duration(std::string_view text) {
  if (text.starts_with('-')) bad_duration(text, "it is negative");
  std::int64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error == std::errc::result_out_of_range) bad_duration(text, "it is too long");
  if (error != std::errc{}) bad_duration(text, "it does not begin with a number");
  const std::string_view name = text.substr(static_cast<std::size_t>(end - text.data()));
  if (name.empty()) bad_duration(text, "the unit is missing");
  for (const Unit& unit : units) {
    if (unit.name != name) continue;
    if (count > std::numeric_limits<std::int64_t>::max() / unit.micros) {
      bad_duration(text, "it is too long");
    }
    return Duration{count * unit.micros};
  }
  bad_duration(text, fmt::format("'{}' is no unit", name));
}

std::string format_duration(Duration duration) {
  using std::chrono::duration_cast, std::chrono::seconds;
  const std::int64_t whole = duration_cast<seconds>(duration).count();
  if (duration == Duration::zero()) return "0s";
  if (whole < 1) return fmt::format("{}ms", duration.count() / 1000);
  if (whole < 60) return fmt::format("{:.1f}s", static_cast<double>(duration.count()) / 1e6);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
  return fmt::format("{}d{:02}h", whole / 86400, whole / 3600 % 24);
}

Timestamp parse_time(std::string_view text) {
  constexpr std::string_view shape = "0000-00-00T00:00:00";
  if (!matches(text.substr(0, shape.size()), shape)) bad_time(text, "it has another form");
  std::string_view rest = text.substr(shape.size());
  Duration fraction = {};
  if (rest.starts_with('.')) {
    const std::string_view digits =
        rest.substr(0, std::min(rest.find_first_not_of("0123456789", 1), rest.size()));
    fraction = fraction_of(digits, text);
    rest.remove_prefix(digits.size());
  }
  return day_and_time(text) + fraction - offset(rest, text);
}

std::string format_time_short(Timestamp time) {
  const auto day = date::floor<date::days>(time);
  const date::year_month_day on{day};
  const date::hh_mm_ss at{time - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(on.year()),
                     static_cast<unsigned>(on.month()), static_cast<unsigned>(on.day()),
                     at.hours().count(), at.minutes().count(), at.seconds().count());
}

std::string format_time(Timestamp time) {
  std::string text = format_time_short(time);
  const auto micros = time - std::chrono::floor<std::chrono::seconds>(time);
  text.pop_back();
  return text + fmt::format(".{:06}Z", micros.count());
}

}  // namespace tq::cli
