// The pair libpq + postgresql. A place is a schema. With tq_prepare=off in its URL a server stands
// behind a pooler that lends its connections for a transaction each, such as PgBouncer.
#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "pair.hpp"
#include "tq/libpq.hpp"
#include "tq/postgresql.hpp"
#include "url.hpp"

namespace tq::conformance {
namespace {

using Handle = std::unique_ptr<PGconn, decltype(&PQfinish)>;
using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;
using Json = nlohmann::json;

// A URL in its two readers' ways.
struct Address {
  std::string library;  // for LibpqConnection
  std::string client;   // for libpq, which does not know tq_prepare
  bool pooled = false;
};

Address address_of(const std::string& url) {
  static const std::string parameter = "tq_prepare=";
  Address address;
  address.library = with_environments_password(cli::parse_url(url).text());
  address.client = address.library;
  const auto begin = address.client.find(parameter);
  if (begin == std::string::npos) return address;
  const auto end = std::min(address.client.find('&', begin), address.client.size());
  address.pooled = address.client.substr(begin, end - begin) == parameter + "off";
  // With the separator behind it, or with the one before it where it is the last.
  address.client.erase(end < address.client.size() ? begin : begin - 1, end - begin + 1);
  return address;
}

// A server that does not answer must not hold the suite up, unless the URL says otherwise.
Handle connect(const std::string& url) {
  const std::array keywords{"connect_timeout", "dbname", static_cast<const char*>(nullptr)};
  const std::array values{"10", url.c_str(), static_cast<const char*>(nullptr)};
  Handle handle{PQconnectdbParams(keywords.data(), values.data(), 1), &PQfinish};
  if (PQstatus(handle.get()) != CONNECTION_OK) throw RawError{PQerrorMessage(handle.get())};
  PQsetNoticeProcessor(
      handle.get(), [](void* /*unused*/, const char* /*text*/) {}, nullptr);
  return handle;
}

std::vector<RawConnection::Row> rows_of(const PGresult* result) {
  std::vector<RawConnection::Row> rows;
  for (int r = 0; r < PQntuples(result); ++r) {
    RawConnection::Row row;
    for (int c = 0; c < PQnfields(result); ++c) {
      row.emplace_back(PQgetisnull(result, r, c) != 0 ? "(null)" : PQgetvalue(result, r, c));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

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

class LibpqRaw final : public RawConnection {
 public:
  explicit LibpqRaw(const std::string& url) : handle_(connect(url)) {}

  std::vector<Row> execute(const std::string& sql) override {
    return rows_of(checked(PQexec(handle_.get(), sql.c_str())).get());
  }

  std::unique_ptr<Connection> borrow() override {
    return std::make_unique<LibpqConnection>(handle_.get());
  }

  Examined examine(const Statement& statement, std::span<const Argument> arguments) override {
    execute("SAVEPOINT tqc_examine");
    const auto text = explain(statement, arguments);
    execute("ROLLBACK TO SAVEPOINT tqc_examine");
    const auto plan = Json::parse(text).at(0).at("Plan");
    const auto pages = number(plan, "Shared Hit Blocks") + number(plan, "Shared Read Blocks");
    return {.statement = statement.name(),
            .plan = text,
            .work = static_cast<std::int64_t>(rows_read(plan) + pages),
            .objection = objection_to(plan)};
  }

 private:
  Result checked(PGresult* raw) {
    Result result{raw, &PQclear};
    const auto status = PQresultStatus(raw);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY) {
      throw RawError{PQerrorMessage(handle_.get())};
    }
    return result;
  }

  std::string explain(const Statement& statement, std::span<const Argument> arguments) {
    constexpr Oid int8 = 20;
    constexpr Oid text = 25;
    const auto rendered = statement.render(Placeholders::dollar);
    std::vector<std::string> values;
    std::vector<const char*> pointers;
    std::vector<Oid> types;
    values.reserve(rendered.order.size());
    for (const auto index : rendered.order) {
      values.push_back(as_text(arguments[index]));
      const bool null = std::holds_alternative<std::monostate>(arguments[index]);
      pointers.push_back(null ? nullptr : values.back().c_str());
      types.push_back(statement.parameters()[index].type == Type::int64 ? int8 : text);
    }
    const auto sql = "EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + rendered.text;
    const auto result =
        checked(PQexecParams(handle_.get(), sql.c_str(), static_cast<int>(values.size()),
                             types.data(), pointers.data(), nullptr, nullptr, 0));
    return PQgetvalue(result.get(), 0, 0);
  }

  Handle handle_;
};

class Schema final : public Place {
 public:
  Schema(const std::string& url, std::string name)
      : address_(address_of(url)), name_(std::move(name)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<Connection> open(const OpenOptions& options) const override {
    auto session = options.session;
    if (options.lock_wait > Duration{}) {
      session.push_back("SET lock_timeout = " + std::to_string(options.lock_wait.count() / 1000));
    }
    const auto own = dialect().session;
    session.insert(session.end(), own.begin(), own.end());
    return LibpqConnection::open(address_.library, session);
  }
  [[nodiscard]] std::unique_ptr<RawConnection> raw() const override {
    return std::make_unique<LibpqRaw>(address_.client);
  }
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

  // What ended our other connections has not always reached the server yet, so it may wait a
  // little.
  void remove() const override {
    LibpqRaw raw{address_.client};
    raw.execute("BEGIN");
    raw.execute("SET LOCAL lock_timeout = '30s'");
    raw.execute(how_to_remove());
    raw.execute("COMMIT");
  }
  [[nodiscard]] std::string how_to_remove() const override {
    return "DROP SCHEMA IF EXISTS " + name_ + ", " + beside_name() + " CASCADE";
  }

 private:
  [[nodiscard]] std::string beside_name() const { return name_ + "_b"; }
  Address address_;
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

Limits limits(const Address& address) {
  if (!address.pooled) return {};
  return {.session =
              "behind a pooler of transactions a session setting would go to whatever "
              "connection is lent just then; SET LOCAL holds",
          .announcements =
              "behind a pooler of transactions there is no LISTEN: a job is found by "
              "the next look"};
}

Server server(const std::string& url) {
  const auto address = address_of(url);
  // First, since it refuses a URL with a slip in it, of which libpq's messages would show a part of
  // the password.
  (void)LibpqConnection::open(address.library);
  const auto handle = connect(address.client);
  const auto major = std::to_string(PQserverVersion(handle.get()) / 10'000);
  const std::string version = PQparameterStatus(handle.get(), "server_version");
  return {.instance = "libpq_postgresql_" + major + (address.pooled ? "_pooled" : ""),
          .version = "postgresql " + version + (address.pooled ? ", through a pooler" : ""),
          .texts = texts(),
          .limits = limits(address)};
}

void check(const std::string& url) {
  constexpr int oldest = 140'000;
  const auto client = address_of(url).client;
  if (PQserverVersion(connect(client).get()) < oldest) {
    throw RawError{"this server is older than PostgreSQL 14, the oldest that is supported"};
  }
  const auto row = LibpqRaw{client}
                       .execute(
                           "SELECT has_database_privilege(current_database(), 'CREATE'), "
                           "pg_is_in_recovery(), current_user, "
                           "quote_ident(current_database()), quote_ident(current_user)")
                       .at(0);
  if (row[1] == "t") throw RawError{"this server is a standby, which takes no writes"};
  if (row[0] != "t") {
    throw RawError{"the role " + row[2] + " must be allowed to create a schema for the tests; as " +
                   "the owner of the database run: GRANT CREATE ON DATABASE " + row[3] + " TO " +
                   row[4]};
  }
}

}  // namespace

Pair libpq_postgresql() {
  return {.name = "libpq_postgresql",
          .schemes = {"postgresql", "postgres", "postgresql+libpq"},
          .variables = {"TQ_TEST_POSTGRESQL_URL"},
          .server = server,
          .check = check,
          .place = [](const std::string& url, const std::string& name) {
            return std::make_unique<Schema>(url, name);
          }};
}

}  // namespace tq::conformance
