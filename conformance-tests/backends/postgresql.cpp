// The half of a pair that knows PostgreSQL. A place is a schema.
#include "tq/postgresql.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pair.hpp"

namespace tq::conformance {
namespace {

using Json = nlohmann::json;

double number(const Json& node, const char* name) { return node.value(name, 0.0); }

// Rows that the scans of a plan have read and thrown away or passed on.
double rows_read(const Json& node) {
  double rows = 0;
  for (const auto& child : node.value("Plans", Json::array())) rows += rows_read(child);
  return rows + number(node, "Actual Loops") *
                    (number(node, "Actual Rows") + number(node, "Rows Removed by Filter") +
                     number(node, "Rows Removed by Index Recheck"));
}

std::string objection_to(const Json& node) {
  if (node.value("Node Type", "") == "Seq Scan" && node.value("Relation Name", "") == "tq_job") {
    return "a sequential scan of tq_job";
  }
  for (const auto& child : node.value("Plans", Json::array())) {
    if (auto objection = objection_to(child); !objection.empty()) return objection;
  }
  return {};
}

std::string literal(const Field& field, const Argument& argument) {
  const std::string type = field.type == Type::int64 ? "bigint" : "text";
  if (const auto* number = std::get_if<std::int64_t>(&argument)) {
    return "CAST(" + std::to_string(*number) + " AS " + type + ")";
  }
  const auto* text = std::get_if<std::string_view>(&argument);
  return "CAST(" + (text == nullptr ? "NULL" : text_literal(*text)) + " AS " + type + ")";
}

class Schema final : public Place {
 public:
  Schema(Client client, std::string url, std::string name)
      : client_(std::move(client)), url_(std::move(url)), name_(std::move(name)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<Connection> open(const OpenOptions& options) const override {
    auto session = options.session;
    if (options.lock_wait > Duration{}) {
      session.push_back("SET lock_timeout = " + std::to_string(options.lock_wait.count() / 1000));
    }
    const auto own = dialect().session;
    session.insert(session.end(), own.begin(), own.end());
    return client_.open(url_, session);
  }
  [[nodiscard]] std::unique_ptr<RawConnection> raw() const override { return client_.raw(url_); }
  [[nodiscard]] Dialect dialect() const override { return postgresql({.schema = name_}); }
  [[nodiscard]] std::string table(std::string_view name) const override {
    return name_ + "." + std::string{name};
  }
  [[nodiscard]] std::optional<Dialect> beside(Connection& /*connection*/) const override {
    return postgresql({.schema = beside_name()});
  }
  [[nodiscard]] std::string objects() const override {
    return "SELECT CASE c.relkind WHEN 'r' THEN 'table' ELSE 'index' END, c.relname "
           "FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace "
           "WHERE n.nspname = '" +
           name_ + "' AND c.relkind IN ('r', 'i') ORDER BY 1, 2";
  }

  [[nodiscard]] Examined examine(RawConnection& raw, const Statement& statement,
                                 std::span<const Argument> arguments) const override {
    raw.execute("SAVEPOINT tqc_examine");
    const auto text = raw.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " +
                                  inlined(statement, arguments, &literal))
                          .at(0)
                          .at(0);
    raw.execute("ROLLBACK TO SAVEPOINT tqc_examine");
    const auto plan = Json::parse(text).at(0).at("Plan");
    const auto pages = number(plan, "Shared Hit Blocks") + number(plan, "Shared Read Blocks");
    return {.statement = statement.name(),
            .plan = text,
            .work = static_cast<std::int64_t>(rows_read(plan) + pages),
            .objection = objection_to(plan)};
  }

  // What ended our other connections has not always reached the server yet, so it may wait a
  // little.
  void remove() const override {
    const auto connection = raw();
    connection->execute("BEGIN");
    connection->execute("SET LOCAL lock_timeout = '30s'");
    connection->execute(how_to_remove());
    connection->execute("COMMIT");
  }
  [[nodiscard]] std::string how_to_remove() const override {
    return "DROP SCHEMA IF EXISTS " + name_ + ", " + beside_name() + " CASCADE";
  }

 private:
  [[nodiscard]] std::string beside_name() const { return name_ + "_b"; }
  Client client_;
  std::string url_;
  std::string name_;
};

Texts texts() {
  return {
      .begin = "BEGIN ISOLATION LEVEL READ COMMITTED",
      .commit = "COMMIT",
      .rollback = "ROLLBACK",
      .begin_snapshot = "BEGIN ISOLATION LEVEL REPEATABLE READ",
      // The unique index waits for the winner, whose row the snapshot then cannot see:
      // https://www.postgresql.org/docs/current/transaction-iso.html#XACT-REPEATABLE-READ
      .snapshot_race = Errc::serialization,
      .mutual_wait = Errc::deadlock,
      .trips_a_batch = 1,
      .short_lock_wait = "SET LOCAL lock_timeout = 100",
      .hostile_session = {"SET default_transaction_isolation = 'serializable'",
                          "SET TIME ZONE 'Pacific/Chatham'", "SET DateStyle = 'SQL, DMY'",
                          "SET IntervalStyle = 'sql_standard'",
                          "SET plan_cache_mode = 'force_generic_plan'"},
      .read_only_session = "SET default_transaction_read_only = on",
      .other_time_zone = "SET TIME ZONE 'Pacific/Chatham'",
      .session_settings =
          "SELECT name, setting FROM pg_settings UNION ALL "
          "SELECT 'prepared', name FROM pg_prepared_statements UNION ALL "
          "SELECT 'listening', pg_listening_channels() ORDER BY 1, 2",
      .earlier =
          [](std::string_view column, Duration by) {
            return std::string{column} + " - INTERVAL '" + std::to_string(by.count()) +
                   " microseconds'";
          },
      .id = [](JobId id) { return "'" + id.text() + "'"; },
      .lock_table =
          [](const std::string& table) {
            return "LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE";
          },
      // An index lies in its table's schema.
      .drop_index =
          [](const std::string& table, const std::string& index) {
            return "DROP INDEX " + table.substr(0, table.find('.') + 1) + index;
          },
      .history_table =
          [](const std::string& table) {
            return "CREATE TABLE " + table +
                   " (seq bigint GENERATED ALWAYS AS IDENTITY, job_id text, group_key text, "
                   "event text)";
          },
  };
}

// Opens a connection of the library's own first, since that refuses a URL with a slip in it, of
// which a client library's message might show a part of the password.
Server server(const Client& client, const std::string& url) {
  (void)client.open(url, {});
  const auto version = client.raw(url)->execute("SHOW server_version").at(0).at(0);
  const auto suffix = client.suffix ? client.suffix(url) : "";
  return {.instance = client.driver + "_postgresql_" + version.substr(0, version.find('.')) +
                      (suffix.empty() ? "" : "_" + suffix),
          .version = "postgresql " + version.substr(0, version.find(' ')),
          .texts = texts(),
          .limits = client.limits ? client.limits(url) : Limits{}};
}

void check(const Client& client, const std::string& url) {
  constexpr int oldest = 140'000;
  const auto raw = client.raw(url);
  if (std::stoi(raw->execute("SHOW server_version_num").at(0).at(0)) < oldest) {
    throw RawError{"this server is older than PostgreSQL 14, the oldest that is supported"};
  }
  // As numbers, since a client library may write a truth value as it likes.
  const auto row = raw->execute(
                          "SELECT CAST(has_database_privilege(current_database(), 'CREATE') AS "
                          "integer), CAST(pg_is_in_recovery() AS integer), "
                          "CAST(current_user AS text), quote_ident(current_database()), "
                          "quote_ident(current_user)")
                       .at(0);
  if (row[1] == "1") throw RawError{"this server is a standby, which takes no writes"};
  if (row[0] != "1") {
    throw RawError{"the role " + row[2] + " must be allowed to create a schema for the tests; as " +
                   "the owner of the database run: GRANT CREATE ON DATABASE " + row[3] + " TO " +
                   row[4]};
  }
}

}  // namespace

Pair postgresql_with(const Client& client) {
  return {.name = client.driver + "_postgresql",
          .schemes = schemes(client, {"postgresql", "postgres"}),
          .variables = {"TQ_TEST_POSTGRESQL_URL"},
          .server = [client](const std::string& url) { return server(client, address(url)); },
          .check = [client](const std::string& url) { check(client, address(url)); },
          .place =
              [client](const std::string& url, const std::string& name) {
                return std::make_unique<Schema>(client, address(url), name);
              }};
}

}  // namespace tq::conformance
