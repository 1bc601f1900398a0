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

// A lock that the end of the transaction does not end is let go also when a step has failed.
class SchemaLock {
 public:
  SchemaLock(Connection& connection, const Dialect& dialect)
      : connection_(connection), dialect_(dialect) {
    run(connection, dialect.schema_lock, {});
  }
  SchemaLock(const SchemaLock&) = delete;
  SchemaLock& operator=(const SchemaLock&) = delete;
  ~SchemaLock() {
    if (!dialect_.schema_unlock) return;
    try {
      run(connection_, *dialect_.schema_unlock, {});
    } catch (const Error&) {
      // The connection is lost, and the lock with it.
    }
  }

 private:
  Connection& connection_;
  const Dialect& dialect_;
};

void migrate(Connection& connection, const Dialect& dialect, Installed& installed) {
  const SchemaLock lock{connection, dialect};
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
    if (dialect.facts.ddl_commits && joins(connection)) {
      throw Error{Errc::unsupported,
                  "on this engine making the tables would commit your transaction; install them "
                  "by a connection of the library's own, with `tq init`, or with the script of "
                  "`tq init --print`"};
    }
    in_transaction(connection, {dialect, install_retries()}, Duplicates::retried,
                   [&] { migrate(connection, dialect, installed); });
  }
  if (installed.from > known) newer(installed.from, known);
  return installed;
}

std::string schema_sql(const Dialect& dialect) {
  std::string script = "-- TableQueue, schema version " + std::to_string(schema_version(dialect)) +
                       " for " + dialect.name + ". Running it again does no harm.\n";
  const auto add = [&](const std::string& text) { script += text + dialect.script.step_end; };
  script += dialect.script.opening;
  for (const auto& text : dialect.schema_setup) add(text);
  for (const auto& migration : dialect.migrations) {
    script += "-- " + std::to_string(migration.version) + ": " + migration.name + "\n";
    for (const auto& text : migration.texts) add(text);
  }
  return script + dialect.script.closing;
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
