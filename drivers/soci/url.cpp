#include "url.hpp"

#include <algorithm>

namespace tq::soci_driver {
namespace {

constexpr servers::UrlForm server{.name = "soci",
                                  .wanted = "dialect+soci://user@host:port/database?option=value"};
constexpr servers::UrlForm file{
    .name = "soci",
    .wanted = "sqlite+soci:///relative.db or sqlite+soci:////absolute.db",
    .place = servers::UrlForm::Place::file};

std::string dialect_of(std::string_view text) {
  auto scheme = text.substr(0, text.find("://"));
  constexpr std::string_view own = "+soci";
  if (scheme.ends_with(own)) scheme.remove_suffix(own.size());
  if (scheme == "postgres") return "postgresql";
  if (scheme == "mariadb") return "mysql";
  return std::string{scheme};
}

}  // namespace

Url::Url(const std::string& text)
    : dialect_{dialect_of(text)}, parts_{servers::read_url(text, form())} {
  for (auto& parameter : parts_.parameters) std::ranges::replace(parameter.name, '-', '_');
}

const servers::UrlForm& Url::form() const noexcept { return dialect_ == "sqlite" ? file : server; }

void Url::refuse(const std::string& why) const { servers::refuse_url(form(), why); }

std::string Url::take_backend() {
  const auto wanted = take("backend");
  const bool odbc = wanted == "odbc";
  if (dialect_ == "postgresql" || dialect_ == "mysql" || dialect_ == "sqlite") {
    const std::string own = dialect_ == "sqlite" ? "sqlite3" : dialect_;
    if (wanted && !odbc && *wanted != own) refuse("backend is " + own + " or odbc");
    return odbc ? "odbc" : own;
  }
  if (dialect_ != "sqlserver" && dialect_ != "oracle") refuse("it names no engine that is known");
  if (wanted && !odbc) refuse("backend is odbc");
  return "odbc";
}

std::optional<std::string> Url::take(std::string_view name) {
  auto& all = parts_.parameters;
  const auto found = std::ranges::find(all, name, &servers::Url::Parameter::name);
  if (found == all.end()) return std::nullopt;
  auto value = std::move(found->value);
  all.erase(found);
  return value;
}

std::string Url::take_word(std::string_view name, std::string_view allowed) {
  const auto value = take(name);
  for (auto rest = allowed; !rest.empty();) {
    const auto end = std::min(rest.find(' '), rest.size());
    const auto word = rest.substr(0, end);
    if (value.value_or(std::string{word}) == word) return std::string{word};
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  refuse(std::string{name} + " is one of: " + std::string{allowed});
}

int Url::take_number(std::string_view name, const Range& range) {
  const auto value = take(name);
  if (!value) return range.otherwise;
  return servers::number_in_url(form(), name, *value, range.least, range.most);
}

void Url::finish(std::string_view known) const {
  if (parts_.parameters.empty()) return;
  refuse("the parameter " + parts_.parameters.front().name +
         " is unknown, or given twice; there are " + std::string{known});
}

}  // namespace tq::soci_driver
