// The half of a pair that knows Oracle. A place is a user without a password, which owns nothing
// but the tables of a test; so the user of the URL has to be one that may make users, such as
// SYSTEM.
#include "tq/oracle.hpp"

#include <algorithm>
#include <mutex>
#include <sstream>

#include "pair.hpp"

namespace tq::conformance {
namespace {

std::string literal(const Field& field, const Argument& argument) {
  if (const auto* number = std::get_if<std::int64_t>(&argument)) return std::to_string(*number);
  const auto* text = std::get_if<std::string_view>(&argument);
  if (text != nullptr) return text_literal(*text);
  return field.type == Type::int64 ? "CAST(NULL AS NUMBER)" : "CAST(NULL AS VARCHAR2(128))";
}

// An application's connection that commits by itself, but in a transaction that a text has begun.
// The client's own commits nothing: to Oracle there is no other way to keep a transaction open.
class SelfCommitting final : public RawConnection {
 public:
  explicit SelfCommitting(std::unique_ptr<RawConnection> raw) : raw_(std::move(raw)) {}

  std::vector<Row> execute(const std::string& sql) override {
    if (sql.find("\n/\n") != std::string::npos) return run_script(sql);
    if (sql.starts_with("SET TRANSACTION")) open_ = true;
    auto rows = raw_->execute(sql);
    if (sql == "COMMIT" || sql == "ROLLBACK") open_ = false;
    if (!open_) raw_->execute("COMMIT");
    return rows;
  }

  std::unique_ptr<Connection> borrow() override { return raw_->borrow(); }

 private:
  // As SQL*Plus would: a line with a slash ends each statement. Its own commands, and the COMMIT
  // that comes of itself here, are left out.
  std::vector<Row> run_script(const std::string& script) {
    std::istringstream lines{script};
    std::string statement;
    for (std::string line; std::getline(lines, line);) {
      const bool own = line.starts_with("--") || line.starts_with("WHENEVER") || line == "COMMIT;";
      if (line == "/") {
        execute(statement);
        statement.clear();
      } else if (!own && !(line.empty() && statement.empty())) {
        statement += line + "\n";
      }
    }
    return {};
  }

  std::unique_ptr<RawConnection> raw_;
  bool open_ = false;
};

// The text of a block that carries `statement` out and passes over one error.
std::string but_for(int error, const std::string& statement) {
  return "BEGIN EXECUTE IMMEDIATE " + text_literal(statement) +
         "; EXCEPTION WHEN OTHERS THEN IF SQLCODE <> " + std::to_string(error) +
         " THEN RAISE; END IF; END;";
}

constexpr int name_taken = -1920;
constexpr int no_such_user = -1918;

std::string plan_text(const std::vector<RawConnection::Row>& plan) {
  std::string text;
  for (const auto& row : plan) text += row.at(0) + "\n";
  return text;
}

// Blocks that this session has gone through.
// https://docs.oracle.com/en/database/oracle/oracle-database/19/refrn/V-MYSTAT.html
std::int64_t blocks_read(RawConnection& raw) {
  return std::stoll(raw.execute("SELECT TO_CHAR(m.VALUE) FROM V$MYSTAT m JOIN V$STATNAME n "
                                "ON n.STATISTIC# = m.STATISTIC# "
                                "WHERE n.NAME = 'session logical reads'")
                        .at(0)
                        .at(0));
}

class User final : public Place {
 public:
  User(Client client, std::string url, std::string name)
      : client_(std::move(client)), url_(std::move(url)), name_(std::move(name)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<Connection> open(const OpenOptions& options) const override {
    make();
    auto session = options.session;
    const auto own = dialect().session;
    session.insert(session.end(), own.begin(), own.end());
    return client_.open(url_, session);
  }
  [[nodiscard]] std::unique_ptr<RawConnection> raw() const override {
    make();
    return std::make_unique<SelfCommitting>(client_.raw(url_));
  }
  [[nodiscard]] Dialect dialect() const override { return oracle({.schema = name_}); }
  [[nodiscard]] std::string table(std::string_view name) const override {
    return name_ + "." + std::string{name};
  }
  [[nodiscard]] std::optional<Dialect> beside(Connection& /*connection*/) const override {
    make_user(beside_name());
    return oracle({.schema = beside_name()});
  }
  [[nodiscard]] std::string objects() const override {
    return "SELECT 'table', LOWER(t.TABLE_NAME) FROM ALL_TABLES t WHERE t.OWNER = UPPER('" + name_ +
           "') UNION ALL SELECT 'index', LOWER(i.INDEX_NAME) FROM ALL_INDEXES i "
           "WHERE i.TABLE_OWNER = UPPER('" +
           name_ + "') AND i.INDEX_TYPE <> 'LOB' ORDER BY 1, 2";
  }

  [[nodiscard]] Examined examine(RawConnection& raw, const Statement& statement,
                                 std::span<const Argument> arguments) const override {
    const auto sql = inlined(statement, arguments, &literal);
    raw.execute("SAVEPOINT tqc_examine");
    Examined examined;
    examined.statement = statement.name();
    // A block of PL/SQL has no plan.
    if (sql.starts_with("SELECT") || sql.starts_with("WITH")) {
      raw.execute("EXPLAIN PLAN FOR " + sql);
      examined.plan = plan_text(raw.execute("SELECT * FROM TABLE(DBMS_XPLAN.DISPLAY)"));
      const bool whole =
          examined.plan.find("TABLE ACCESS FULL| TQ_JOB") != std::string::npos ||
          examined.plan.find("TABLE ACCESS STORAGE FULL| TQ_JOB") != std::string::npos;
      if (whole) examined.objection = "a full scan of tq_job";
    }
    const auto before = blocks_read(raw);
    raw.execute(sql);
    examined.work = blocks_read(raw) - before;
    raw.execute("ROLLBACK TO SAVEPOINT tqc_examine");
    return examined;
  }

  void remove() const override {
    const auto connection = client_.raw(url_);
    for (const auto& user : {name_, beside_name()}) {
      connection->execute(but_for(no_such_user, "DROP USER " + user + " CASCADE"));
    }
  }
  [[nodiscard]] std::string how_to_remove() const override {
    return "DROP USER " + name_ + " CASCADE; DROP USER " + beside_name() + " CASCADE";
  }

 private:
  [[nodiscard]] std::string beside_name() const { return name_ + "_b"; }
  void make() const {
    std::call_once(made_, [this] { make_user(name_); });
  }
  void make_user(const std::string& user) const {
    client_.raw(url_)->execute(
        but_for(name_taken, "CREATE USER " + user + " NO AUTHENTICATION QUOTA UNLIMITED ON USERS"));
  }
  Client client_;
  std::string url_;
  std::string name_;
  mutable std::once_flag made_;
};

// A session can be made read-only since version 23.
// https://docs.oracle.com/en/database/oracle/oracle-database/23/refrn/READ_ONLY.html
Texts texts(int version) {
  constexpr int first_read_only = 23;
  return {
      .begin = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED",
      .commit = "COMMIT",
      .rollback = "ROLLBACK",
      .begin_snapshot = "SET TRANSACTION ISOLATION LEVEL SERIALIZABLE",
      // The unique index knows the winner, whose row the snapshot cannot see.
      .snapshot_race = Errc::serialization,
      .mutual_wait = Errc::deadlock,
      .mutual_wait_ends_transaction = false,
      // The rows, the block, what was stored: a block gives no rows.
      .trips_a_batch = 3,
      // A row's lock is asked for with NOWAIT or is waited for without an end.
      .short_lock_wait = "",
      .hostile_session = {"ALTER SESSION SET ISOLATION_LEVEL = SERIALIZABLE",
                          "ALTER SESSION SET TIME_ZONE = '-12:00'",
                          "ALTER SESSION SET NLS_COMP = LINGUISTIC NLS_SORT = BINARY_AI",
                          "ALTER SESSION SET NLS_TERRITORY = 'SAUDI ARABIA'",
                          "ALTER SESSION SET NLS_NUMERIC_CHARACTERS = ',.'",
                          "ALTER SESSION SET NLS_LENGTH_SEMANTICS = BYTE",
                          "ALTER SESSION SET CURSOR_SHARING = FORCE"},
      .read_only_session = version < first_read_only ? "" : "ALTER SESSION SET READ_ONLY = TRUE",
      .no_autocommit =
          "an application's connection to this engine commits nothing by itself, so a transaction "
          "is open on it at any time",
      .other_time_zone = "ALTER SESSION SET TIME_ZONE = '-12:00'",
      .session_settings =
          "SELECT s.PARAMETER, s.VALUE FROM NLS_SESSION_PARAMETERS s "
          "UNION ALL SELECT 'schema', SYS_CONTEXT('USERENV', 'CURRENT_SCHEMA') FROM DUAL "
          "UNION ALL SELECT 'zone', SESSIONTIMEZONE FROM DUAL ORDER BY 1",
      .earlier =
          [](std::string_view column, Duration by) {
            constexpr std::int64_t second = 1'000'000;
            return std::string{column} + " - NUMTODSINTERVAL(" +
                   std::to_string(by.count() / second) + ", 'SECOND') - NUMTODSINTERVAL(" +
                   std::to_string(by.count() % second) + " / 1000000, 'SECOND')";
          },
      .id =
          [](JobId id) {
            auto hex = id.text();
            std::erase(hex, '-');
            return "HEXTORAW('" + hex + "')";
          },
      .lock_table =
          [](const std::string& table) { return "LOCK TABLE " + table + " IN EXCLUSIVE MODE"; },
      // An index lies in its table's schema.
      .drop_index =
          [](const std::string& table, const std::string& index) {
            return "DROP INDEX " + table.substr(0, table.find('.') + 1) + index;
          },
      .history_table =
          [](const std::string& table) {
            return "CREATE TABLE " + table +
                   " (seq NUMBER(19) GENERATED ALWAYS AS IDENTITY (NOCACHE ORDER), "
                   "job_id VARCHAR2(36), group_key VARCHAR2(128 CHAR), event VARCHAR2(16))";
          },
  };
}

// "19.0.0.0.0"
std::string version_of(RawConnection& raw) {
  return raw
      .execute(
          "SELECT MAX(v.VERSION) FROM PRODUCT_COMPONENT_VERSION v "
          "WHERE v.PRODUCT LIKE 'Oracle%'")
      .at(0)
      .at(0);
}

Server server(const Client& client, const std::string& url) {
  (void)client.open(url, {});
  const auto version = version_of(*client.raw(url));
  return {.instance = client.driver + "_oracle_" + version.substr(0, version.find('.')),
          .version = "oracle " + version,
          .texts = texts(std::stoi(version)),
          .limits = client.limits ? client.limits(url) : Limits{}};
}

void check(const Client& client, const std::string& url) {
  constexpr int oldest = 19;
  const auto raw = client.raw(url);
  if (std::stoi(version_of(*raw)) < oldest) {
    throw RawError{"this server is older than Oracle 19c, the oldest that is supported"};
  }
  const auto missing = raw->execute(
      "SELECT w.name FROM (SELECT 'CREATE USER' AS name FROM DUAL UNION ALL SELECT 'DROP USER' "
      "FROM "
      "DUAL UNION ALL SELECT 'CREATE ANY TABLE' FROM DUAL UNION ALL SELECT 'CREATE ANY INDEX' FROM "
      "DUAL UNION ALL SELECT 'CREATE ANY SEQUENCE' FROM DUAL) w WHERE w.name NOT IN "
      "(SELECT p.PRIVILEGE FROM SESSION_PRIVS p)");
  if (!missing.empty()) {
    throw RawError{
        "the user of the URL must be allowed to make users and their tables for the tests, "
        "as SYSTEM is in a throwaway database; it lacks " +
        missing.at(0).at(0)};
  }
}

}  // namespace

Pair oracle_with(const Client& client) {
  return {.name = client.driver + "_oracle",
          .schemes = schemes(client, {"oracle"}),
          .variables = {"TQ_TEST_ORACLE_URL"},
          .server = [client](const std::string& url) { return server(client, address(url)); },
          .check = [client](const std::string& url) { check(client, address(url)); },
          .place =
              [client](const std::string& url, const std::string& name) {
                return std::make_unique<User>(client, address(url), name);
              }};
}

}  // namespace tq::conformance
