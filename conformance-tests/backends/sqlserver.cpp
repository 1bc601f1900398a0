// The half of a pair that knows SQL Server. A place is a schema of the database that the URL names.
#include "tq/sqlserver.hpp"

#include <algorithm>

#include "pair.hpp"

namespace tq::conformance {
namespace {

std::string literal(const Field& /*field*/, const Argument& argument) {
  if (const auto* number = std::get_if<std::int64_t>(&argument)) return std::to_string(*number);
  const auto* text = std::get_if<std::string_view>(&argument);
  return text == nullptr ? "NULL" : "N" + text_literal(*text);
}

// Every access of the job table names its index, so a scan or a sort is all that can be wrong.
// https://learn.microsoft.com/en-us/sql/relational-databases/showplan-logical-and-physical-operators-reference
std::string objection_to(const std::string& statement, const std::string& plan) {
  for (const auto* scan : {"Table Scan(OBJECT:([", "Index Scan(OBJECT:(["}) {
    for (auto at = plan.find(scan); at != std::string::npos; at = plan.find(scan, at + 1)) {
      const auto line = plan.substr(at, plan.find('\n', at) - at);
      // The statistics read the entries of all running jobs, and of nothing else.
      const bool all_running = line.find("[tq_job_lease]") != std::string::npos;
      if (line.find("[tq_job]") != std::string::npos && !all_running) return line;
    }
  }
  const bool sorted = plan.find("Sort(TOP") != std::string::npos;
  if (statement == "claim_pick" && sorted) return "the jobs are sorted, and so locked, before TOP";
  return {};
}

std::int64_t pages_read(RawConnection& raw) {
  return std::stoll(raw.execute("SELECT logical_reads FROM sys.dm_exec_sessions "
                                "WHERE session_id = @@SPID")
                        .at(0)
                        .at(0));
}

class Schema final : public Place {
 public:
  Schema(Client client, std::string url, std::string name)
      : client_(std::move(client)), url_(std::move(url)), name_(std::move(name)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<Connection> open(const OpenOptions& options) const override {
    auto session = options.session;
    if (options.lock_wait > Duration{}) {
      const auto wait = std::chrono::ceil<std::chrono::milliseconds>(options.lock_wait);
      session.push_back("SET LOCK_TIMEOUT " + std::to_string(wait.count()));
    }
    const auto own = dialect().session;
    session.insert(session.end(), own.begin(), own.end());
    return client_.open(url_, session);
  }
  [[nodiscard]] std::unique_ptr<RawConnection> raw() const override { return client_.raw(url_); }
  [[nodiscard]] Dialect dialect() const override { return sqlserver({.schema = name_}); }
  [[nodiscard]] std::string table(std::string_view name) const override {
    return name_ + "." + std::string{name};
  }
  [[nodiscard]] std::optional<Dialect> beside(Connection& /*connection*/) const override {
    return sqlserver({.schema = beside_name()});
  }
  [[nodiscard]] std::string objects() const override {
    const auto ours = " FROM sys.tables AS t JOIN sys.schemas AS s ON s.schema_id = t.schema_id ";
    const auto here = "WHERE s.name = '" + name_ + "'";
    return std::string{"SELECT 'table' AS kind, t.name AS name"} + ours + here +
           " UNION SELECT 'index', i.name" + ours +
           "JOIN sys.indexes AS i ON i.object_id = t.object_id AND i.index_id > 0 " + here +
           " ORDER BY kind, name";
  }

  [[nodiscard]] Examined examine(RawConnection& raw, const Statement& statement,
                                 std::span<const Argument> arguments) const override {
    const auto sql = inlined(statement, arguments, &literal);
    Examined examined;
    examined.statement = statement.name();
    // Nothing runs while it is on.
    raw.execute("SET SHOWPLAN_TEXT ON");
    for (const auto& row : raw.execute(sql)) examined.plan += row.at(0) + "\n";
    raw.execute("SET SHOWPLAN_TEXT OFF");
    examined.objection = objection_to(examined.statement, examined.plan);
    raw.execute("SAVE TRANSACTION tqc_examine");
    const auto before = pages_read(raw);
    raw.execute(sql);
    examined.work = pages_read(raw) - before;
    raw.execute("ROLLBACK TRANSACTION tqc_examine");
    return examined;
  }

  void remove() const override {
    const auto connection = client_.raw(url_);
    for (const auto& schema : {name_, beside_name()}) connection->execute(removal_of(schema));
  }
  [[nodiscard]] std::string how_to_remove() const override {
    return removal_of(name_) + "; " + removal_of(beside_name());
  }

 private:
  // A schema goes when it is empty. One batch, without a semicolon inside.
  [[nodiscard]] static std::string removal_of(const std::string& schema) {
    return "DECLARE @drop nvarchar(max) = (SELECT STRING_AGG('DROP TABLE " + schema +
           ".' + QUOTENAME(t.name), ' ') FROM sys.tables AS t WHERE t.schema_id = SCHEMA_ID('" +
           schema + "')) EXECUTE (@drop) DROP SCHEMA IF EXISTS " + schema;
  }
  [[nodiscard]] std::string beside_name() const { return name_ + "_b"; }
  Client client_;
  std::string url_;
  std::string name_;
};

// DATEADD takes an int.
std::string earlier(std::string_view column, Duration by) {
  constexpr std::int64_t minute = 60'000'000;
  return "DATEADD(MICROSECOND, -" + std::to_string(by.count() % minute) + ", DATEADD(MINUTE, -" +
         std::to_string(by.count() / minute) + ", " + std::string{column} + "))";
}

// Without READ_COMMITTED_SNAPSHOT a plain count waits for whoever has changed a row. The level of
// what EXECUTE runs ends with it, and cannot be changed to this one inside a transaction.
// https://learn.microsoft.com/en-us/sql/t-sql/statements/set-transaction-isolation-level-transact-sql
std::string committed_count(const std::string& table, const std::string& where) {
  const auto count = "SELECT COUNT(*) FROM " + table + " WHERE " + where;
  return "IF @@TRANCOUNT > 0 " + count + " ELSE EXECUTE (" +
         text_literal("SET TRANSACTION ISOLATION LEVEL SNAPSHOT " + count) + ")";
}

std::string id_literal(JobId id) {
  auto hex = id.text();
  std::erase(hex, '-');
  return "0x" + hex;
}

Texts texts() {
  return {
      .begin = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; BEGIN TRANSACTION",
      .commit = "COMMIT TRANSACTION",
      .rollback = "ROLLBACK TRANSACTION",
      .begin_snapshot = "SET TRANSACTION ISOLATION LEVEL SNAPSHOT; BEGIN TRANSACTION",
      // The statements set READ COMMITTED for themselves, and so see the winner.
      .snapshot_race = std::nullopt,
      .mutual_wait = Errc::deadlock,
      .trips_a_batch = 1,
      .short_lock_wait = "SET LOCK_TIMEOUT 100",
      .hostile_session = {"SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                          "SET ANSI_NULLS, ANSI_PADDING, ANSI_WARNINGS, ARITHABORT, "
                          "CONCAT_NULL_YIELDS_NULL, QUOTED_IDENTIFIER OFF",
                          "SET NUMERIC_ROUNDABORT ON", "SET XACT_ABORT ON", "SET ROWCOUNT 1",
                          "SET TEXTSIZE 100", "SET LANGUAGE Français", "SET DATEFIRST 3",
                          "SET IMPLICIT_TRANSACTIONS ON"},
      // There is no such setting. This user is made by check() and may read alone.
      .read_only_session = "EXECUTE AS USER = 'tqc_reader'",
      .read_only_refusal = Errc::denied,
      .other_time_zone = "",  // A session has none.
      .session_settings =
          "SELECT s.transaction_isolation_level, s.lock_timeout, s.deadlock_priority, s.text_size, "
          "s.language, s.date_format, s.date_first, s.quoted_identifier, s.arithabort, "
          "s.ansi_null_dflt_on, s.ansi_defaults, s.ansi_warnings, s.ansi_padding, s.ansi_nulls, "
          "s.concat_null_yields_null, @@OPTIONS FROM sys.dm_exec_sessions AS s "
          "WHERE s.session_id = @@SPID",
      .committed_count = committed_count,
      .earlier = earlier,
      .id = id_literal,
      .lock_table =
          [](const std::string& table) {
            return "SELECT TOP (0) job_id FROM " + table + " WITH (TABLOCKX, HOLDLOCK)";
          },
      .drop_index = [](const std::string& table,
                       const std::string& index) { return "DROP INDEX " + index + " ON " + table; },
      .history_table =
          [](const std::string& table) {
            return "CREATE TABLE " + table +
                   " (seq bigint IDENTITY PRIMARY KEY, job_id varchar(36), "
                   "group_key nvarchar(128), event varchar(16))";
          },
  };
}

struct Database {
  std::string version;
  bool versioned;  // READ_COMMITTED_SNAPSHOT
  bool snapshots;  // ALLOW_SNAPSHOT_ISOLATION
  std::string name;
  bool stand_in;
};

Database database(RawConnection& raw) {
  const auto row =
      raw.execute(
             "SELECT CAST(SERVERPROPERTY('ProductVersion') AS varchar(40)), "
             "CAST(d.is_read_committed_snapshot_on AS int), d.snapshot_isolation_state, "
             "QUOTENAME(d.name), "
             "CASE WHEN @@VERSION LIKE '%Babelfish%' THEN 1 ELSE 0 END FROM sys.databases AS d "
             "WHERE d.database_id = DB_ID()")
          .at(0);
  return {.version = row.at(0),
          .versioned = row.at(1) == "1",
          .snapshots = row.at(2) == "1",
          .name = row.at(3),
          .stand_in = row.at(4) == "1"};
}

Server server(const Client& client, const std::string& url) {
  const auto found = database(*client.raw(url));
  const std::string versioned = found.versioned ? "rcsi" : "locking";
  const auto suffix = client.suffix ? client.suffix(url) : "";
  return {.instance = client.driver + "_sqlserver_" +
                      found.version.substr(0, found.version.find('.')) + "_" + versioned +
                      (suffix.empty() ? "" : "_" + suffix),
          .version = "sqlserver " + found.version + " " + versioned,
          .texts = texts(),
          .limits = client.limits ? client.limits(url) : Limits{}};
}

void check(const Client& client, const std::string& url) {
  const auto raw = client.raw(url);
  const auto found = database(*raw);
  constexpr int oldest = 15;
  if (found.stand_in) {
    throw RawError{
        "this server is Babelfish, which says of itself that it is SQL Server: what holds there "
        "says nothing about SQL Server"};
  }
  if (std::stoi(found.version) < oldest) {
    throw RawError{"this server is older than SQL Server 2019, the oldest that is supported"};
  }
  if (!found.snapshots) {
    throw RawError{"the tests also use SNAPSHOT; run: ALTER DATABASE " + found.name +
                   " SET ALLOW_SNAPSHOT_ISOLATION ON"};
  }
  try {
    raw->execute(
        "IF USER_ID('tqc_reader') IS NULL CREATE USER tqc_reader WITHOUT LOGIN "
        "ALTER ROLE db_datareader ADD MEMBER tqc_reader");
    raw->execute(
        "IF SCHEMA_ID('tqc_may_create') IS NULL EXECUTE ('CREATE SCHEMA tqc_may_create') "
        "DROP SCHEMA tqc_may_create");
  } catch (const RawError& error) {
    throw RawError{std::string{error.what()} +
                   "; the user must be allowed to make schemas, tables and a user for the tests, "
                   "so let it be a member of db_owner in a database made for them"};
  }
}

}  // namespace

Pair sqlserver_with(const Client& client) {
  return {.name = client.driver + "_sqlserver",
          .schemes = schemes(client, {"sqlserver"}),
          .variables = {"TQ_TEST_SQLSERVER_URL"},
          .server = [client](const std::string& url) { return server(client, address(url)); },
          .check = [client](const std::string& url) { check(client, address(url)); },
          .place =
              [client](const std::string& url, const std::string& name) {
                return std::make_unique<Schema>(client, address(url), name);
              }};
}

}  // namespace tq::conformance
