#include <fmt/format.h>

#include <cstdlib>

#include "command.hpp"
#include "tq/error.hpp"
#include "tq/schema.hpp"
#include "url.hpp"
#include "usage_error.hpp"

namespace tq::cli {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string{} : std::string{value};
}

}  // namespace

std::vector<Database> Session::databases(Access access) const {
  if (urls.empty()) {
    throw UsageError{
        "no database: give --db URL or set TQ_DATABASE_URL, for example "
        "--db sqlite:///jobs.db or --db postgresql://user@host/database"};
  }
  const std::string password = environment("TQ_DATABASE_PASSWORD");
  std::vector<Database> found;
  for (const std::string& url : urls) {
    found.push_back(find_database(built_in, url, password, access));
  }
  return found;
}

std::string Session::without_secrets(std::string message) const {
  for (const std::string& url : urls) message = without_password(std::move(message), url);
  const std::string secret = environment("TQ_DATABASE_PASSWORD");
  if (secret.empty()) return message;
  return without_password(std::move(message), fmt::format("x://:{}@", secret));
}

Database Session::database(Access access) const {
  std::vector<Database> found = databases(access);
  if (found.size() > 1) throw UsageError{"this command works on one database: give one --db"};
  return std::move(found.front());
}

void require_schema(Connection& connection, const Database& database) {
  try {
    check_schema(connection, database.queue.dialect());
  } catch (const Error& error) {
    if (error.code() != Errc::schema_missing) throw;
    constexpr std::string_view advice = "`tq init`";
    std::string message = error.what();
    const std::size_t at = message.find(advice);
    if (at == std::string::npos) throw;
    message.replace(at, advice.size(), fmt::format("tq init --db '{}'", database.shown));
    throw Error{error.details(), message};
  }
}

Opened open(const Session& session) {
  Database database = session.database();
  std::unique_ptr<Connection> connection = database.connect();
  require_schema(*connection, database);
  return {.queue = std::move(database.queue), .connection = std::move(connection)};
}

}  // namespace tq::cli
