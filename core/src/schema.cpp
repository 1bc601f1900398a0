#include "tq/schema.hpp"

#include "run.hpp"
#include "tq/error.hpp"

namespace tq {
namespace {

const RetryLimits& install_retries() {
  static const RetryLimits limits{.attempts = 30, .total = std::chrono::minutes{2}};
  return limits;
}

int read_version(Connection& connection, const Dialect& dialect) {
  if (integer(run(connection, dialect.schema_present, {})[0][0]) == 0) return 0;
  return static_cast<int>(integer(run(connection, dialect.schema_version, {})[0][0]));
}

[[noreturn]] void newer(int found, int known) {
  throw Error{Errc::schema_newer, "the schema has version " + std::to_string(found) +
                                      ", this library knows up to " + std::to_string(known) +
                                      "; upgrade the library"};
}

void migrate(Connection& connection, const Dialect& dialect, Installed& installed) {
  run(connection, dialect.schema_lock, {});
  for (const auto& text : dialect.schema_setup) connection.execute(text);
  installed.from = read_version(connection, dialect);
  installed.to = installed.from;
  for (const auto& migration : dialect.migrations) {
    if (migration.version <= installed.from) continue;
    for (const auto& text : migration.texts) connection.execute(text);
    installed.to = migration.version;
  }
}

}  // namespace

int schema_version(const Dialect& dialect) noexcept {
  return dialect.migrations.empty() ? 0 : dialect.migrations.back().version;
}

int installed_version(Connection& connection, const Dialect& dialect) {
  int version = 0;
  if (joins(connection)) return read_version(connection, dialect);
  retrying(install_retries(), Duplicates::final,
           [&] { version = read_version(connection, dialect); });
  return version;
}

Installed install_schema(Connection& connection, const Dialect& dialect) {
  const int known = schema_version(dialect);
  Installed installed;
  installed.from = installed.to = installed_version(connection, dialect);
  if (installed.from < known) {
    in_transaction(connection, {dialect, install_retries()}, Duplicates::retried,
                   [&] { migrate(connection, dialect, installed); });
  }
  if (installed.from > known) newer(installed.from, known);
  return installed;
}

std::string schema_sql(const Dialect& dialect) {
  std::string script = "-- TableQueue, schema version " + std::to_string(schema_version(dialect)) +
                       " for " + dialect.name + ". Running it again does no harm.\n";
  const auto add = [&](const std::string& text) { script += text + ";\n\n"; };
  add(dialect.transaction.begin);
  for (const auto& text : dialect.schema_setup) add(text);
  for (const auto& migration : dialect.migrations) {
    script += "-- " + std::to_string(migration.version) + ": " + migration.name + "\n";
    for (const auto& text : migration.texts) add(text);
  }
  return script + "COMMIT;\n";
}

void check_schema(Connection& connection, const Dialect& dialect) {
  const int known = schema_version(dialect);
  const int found = installed_version(connection, dialect);
  if (found > known) newer(found, known);
  if (found == known) return;
  throw Error{Errc::schema_missing,
              found == 0 ? "TableQueue's tables are not in this database; run `tq init`"
                         : "the schema has version " + std::to_string(found) + " of " +
                               std::to_string(known) + "; run `tq init` to upgrade it"};
}

}  // namespace tq
