#include "url.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "servers/url.hpp"

namespace tq::sqlite3_driver {
namespace {

constexpr servers::UrlForm form{
    .name = "sqlite",
    .wanted = "sqlite:///relative.db or sqlite:////absolute.db, with a percent sign as %25",
    .place = servers::UrlForm::Place::file};

[[noreturn]] void refuse(const std::string& why) { servers::refuse_url(form, why); }

template <std::size_t N>
std::string one_of(const std::string& name, const std::string& value,
                   const std::array<std::string_view, N>& allowed) {
  if (std::ranges::find(allowed, value) != allowed.end()) return value;
  std::string list;
  for (const auto word : allowed) list.append(list.empty() ? "" : ", ").append(word);
  refuse(name + "=" + value + " is not one of " + list);
}

void set(OpenOptions& options, const std::string& name, const std::string& value) {
  using Mode = OpenOptions::Mode;
  if (name == "busy_timeout") {
    constexpr int one_day_ms = 24 * 60 * 60 * 1000;
    const auto what = name + "=" + value + ", in milliseconds,";
    options.busy_timeout =
        std::chrono::milliseconds{servers::number_in_url(form, what, value, 0, one_day_ms)};
  } else if (name == "synchronous") {
    options.synchronous = one_of<3>(name, value, {"full", "normal", "extra"});
  } else if (name == "journal_mode") {
    options.journal_mode = one_of<2>(name, value, {"wal", "delete"});
    options.journal_mode_named = true;
  } else if (name == "mode") {
    const auto mode = one_of<3>(name, value, {"ro", "rw", "rwc"});
    options.mode = mode == "ro" ? Mode::read : mode == "rw" ? Mode::write : Mode::create;
  } else {
    refuse("the parameter " + name +
           " is unknown; there are busy_timeout, synchronous, journal_mode and mode");
  }
}

}  // namespace

OpenOptions parse_url(const std::string& url) {
  OpenOptions options;
  if (url.find("://") == std::string::npos) {
    options.path = url;
  } else {
    const auto parts = servers::read_url(url, form);
    if (parts.scheme != "sqlite") refuse("it must begin with sqlite:///");
    options.path = parts.path;
    for (const auto& parameter : parts.parameters) set(options, parameter.name, parameter.value);
  }
  if (options.path.empty()) refuse("the path is empty");
  if (options.path.find('\0') != std::string::npos) refuse("the path holds a NUL character");
  return options;
}

}  // namespace tq::sqlite3_driver
