#include "database.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "usage_error.hpp"

namespace tq::cli {
namespace {

std::string examples(const BuiltIn& built_in) {
  std::string text;
  for (const DialectEntry& dialect : built_in.dialects) text += "\n  " + dialect.example;
  return text;
}

const DialectEntry& dialect_of(const BuiltIn& built_in, const Url& url) {
  const auto found = std::ranges::find(built_in.dialects, url.dialect, &DialectEntry::name);
  if (found != built_in.dialects.end()) return *found;
  throw UsageError{fmt::format("there is no dialect '{}' in this program; built in are:{}",
                               url.dialect, examples(built_in))};
}

std::string served_by(const BuiltIn& built_in, const DialectEntry& dialect) {
  std::string text;
  for (const std::string& name : dialect.drivers) {
    if (built_in.driver(name) == nullptr) continue;
    text += fmt::format("\n  {}+{}://", dialect.name, name);
  }
  return text.empty() ? " none" : text;
}

const DriverEntry& driver_of(const BuiltIn& built_in, const DialectEntry& dialect, const Url& url) {
  const std::string& name = url.driver.empty() ? dialect.default_driver : url.driver;
  const DriverEntry* driver = built_in.driver(name);
  const bool serves = std::ranges::find(dialect.drivers, name) != dialect.drivers.end();
  if (driver != nullptr && serves) return *driver;
  throw UsageError{
      fmt::format("the driver '{}' {}; built in for {} are:{}", name,
                  serves ? "is not built in" : fmt::format("cannot serve {}", dialect.name),
                  dialect.name, served_by(built_in, dialect))};
}

void check_schema_choice(const DialectEntry& dialect, const std::string& schema) {
  const auto& only = dialect.only_schema;
  if (schema.empty() || only.empty() || schema == only) return;
  throw UsageError{
      fmt::format("tq_schema={} cannot be had: tq opens one {} database, whose only schema is {}",
                  schema, dialect.name, only)};
}

}  // namespace

const DriverEntry* BuiltIn::driver(std::string_view name) const {
  const auto found = std::ranges::find(drivers, name, &DriverEntry::name);
  return found == drivers.end() ? nullptr : &*found;
}

Database find_database(const BuiltIn& built_in, const std::string& url, const std::string& password,
                       Access access) {
  const Url parts = parse_url(url);
  const DialectEntry& dialect = dialect_of(built_in, parts);
  const DriverEntry& driver = driver_of(built_in, dialect, parts);
  check_schema_choice(dialect, parts.schema);
  Queue queue{dialect.make({.schema = parts.schema})};
  OpenRequest request{.url = parts.text(),
                      .password = password,
                      .access = access,
                      .session = queue.dialect().session};
  return {.shown = redacted(url),
          .queue = std::move(queue),
          .connect = [open = driver.open, request = std::move(request)] { return open(request); },
          .init_rights = dialect.init_rights};
}

}  // namespace tq::cli
