// The pair mysql (Connector/C++) + mysql. TQ_TEST_MYSQL_URL names one or more servers, MySQL or
// MariaDB; each test process works in a database of its own.
#include "tq/mysql.hpp"

#include <cppconn/exception.h>
#include <cppconn/resultset_metadata.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <sstream>

#include "client.hpp"
#include "connect.hpp"
#include "pair.hpp"
#include "tq/mysql_connector.hpp"

namespace tq::conformance {
namespace {

using Handle = mysql_driver::ConnectionHandle;
using Result = mysql_driver::Result;

Handle connect(const std::string& url) try {
  return mysql_driver::connect(mysql_driver::parse_url(with_environments_password(url)));
} catch (const Error& error) {
  throw RawError{error.what()};
}

// The client library sends one statement at a time; none of ours has a semicolon inside.
std::vector<std::string> statements_of(const std::string& script) {
  std::vector<std::string> statements;
  std::istringstream in{script};
  for (std::string text; std::getline(in, text, ';');) {
    const bool blank = std::ranges::all_of(text, [](unsigned char c) { return std::isspace(c); });
    if (!blank) statements.push_back(text);
  }
  return statements;
}

std::vector<RawConnection::Row> rows_of(sql::ResultSet& result) {
  std::vector<RawConnection::Row> rows;
  const auto columns = result.getMetaData()->getColumnCount();
  while (result.next()) {
    RawConnection::Row row;
    for (unsigned c = 1; c <= columns; ++c) {
      row.emplace_back(result.isNull(c) ? "(null)" : result.getString(c).asStdString());
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// What is not good enough in a plan: a table of jobs that is read whole, or a sort before the limit
// of a locking read. "p" and "q" are the small table of queues in the statements that name it.
std::string objection_to(const std::string& statement, sql::ResultSet& plan) {
  while (plan.next()) {
    const auto table = plan.getString("table").asStdString();
    const auto type = plan.getString("type").asStdString();
    const auto extra = plan.getString("Extra").asStdString();
    const bool ours = !table.empty() && table[0] != '<' && table != "p" && table != "q" &&
                      extra.find("Table function") == std::string::npos &&
                      extra.find("Recursive") == std::string::npos;
    if (ours && type == "ALL") return table + " is read whole";
    if (ours && type == "index" && extra.find("group-by") == std::string::npos) {
      return "an index of " + table + " is read whole";
    }
    if (statement == "claim_pick" && extra.find("filesort") != std::string::npos) {
      return "the jobs are sorted, and so locked, before the limit";
    }
  }
  return {};
}

std::string plan_text(sql::ResultSet& plan) {
  std::string text;
  for (const auto& row : rows_of(plan)) {
    for (const auto& column : row) text += column + " | ";
    text += '\n';
  }
  plan.beforeFirst();
  return text;
}

class MysqlRaw final : public RawConnection {
 public:
  explicit MysqlRaw(const std::string& url) : handle_(connect(url)) {}

  std::vector<Row> execute(const std::string& sql) override try {
    (void)mysql_driver::client();  // for this thread
    const std::unique_ptr<sql::Statement> statement{handle_->createStatement()};
    std::vector<Row> rows;
    for (const auto& text : statements_of(sql)) {
      if (!statement->execute(text)) continue;
      const Result result{statement->getResultSet()};
      rows = rows_of(*result);
    }
    return rows;
  } catch (const sql::SQLException& error) {
    throw RawError{error.what()};
  }

  std::unique_ptr<Connection> borrow() override {
    return std::make_unique<MysqlConnection>(*handle_);
  }

  Examined examine(const Statement& statement, std::span<const Argument> arguments) override try {
    execute("SAVEPOINT tqc_examine");
    const auto rendered = statement.render(Placeholders::question);
    Examined examined{.statement = statement.name(), .plan = {}, .objection = {}};
    {
      const auto explain =
          prepare("EXPLAIN FORMAT=TRADITIONAL " + rendered.text, statement, rendered, arguments);
      const Result plan{explain->executeQuery()};
      examined.plan = plan_text(*plan);
      examined.objection = objection_to(statement.name(), *plan);
    }
    const auto prepared = prepare(rendered.text, statement, rendered, arguments);
    const auto before = rows_read();
    if (prepared->execute()) const Result drained{prepared->getResultSet()};
    examined.work = rows_read() - before;
    execute("ROLLBACK TO SAVEPOINT tqc_examine");
    return examined;
  } catch (const sql::SQLException& error) {
    throw RawError{statement.name() + ": " + error.what()};
  }

 private:
  std::unique_ptr<sql::PreparedStatement> prepare(const std::string& text,
                                                  const Statement& statement,
                                                  const Rendered& rendered,
                                                  std::span<const Argument> arguments) {
    std::unique_ptr<sql::PreparedStatement> prepared{handle_->prepareStatement(text)};
    unsigned place = 0;
    for (const auto index : rendered.order) {
      ++place;
      const auto& argument = arguments[index];
      if (std::holds_alternative<std::monostate>(argument)) {
        prepared->setNull(place, 0);
      } else if (statement.parameters()[index].type == Type::int64) {
        prepared->setInt64(place, std::get<std::int64_t>(argument));
      } else {
        prepared->setString(place, as_text(argument));
      }
    }
    return prepared;
  }

  // Rows and index entries that this session has gone through.
  // https://dev.mysql.com/doc/refman/en/server-status-variables.html#statvar_Handler_read_first
  std::int64_t rows_read() {
    std::int64_t sum = 0;
    for (const auto& row : execute("SHOW SESSION STATUS LIKE 'Handler_read%'")) {
      sum += std::stoll(row.at(1));
    }
    return sum;
  }

  Handle handle_;
};

class Database final : public Place {
 public:
  Database(std::string url, std::string name) : url_(std::move(url)), name_(std::move(name)) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<Connection> open(const OpenOptions& options) const override {
    auto session = options.session;
    if (options.lock_wait > Duration{}) {
      const auto seconds = std::chrono::ceil<std::chrono::seconds>(options.lock_wait);
      session.push_back("SET SESSION innodb_lock_wait_timeout = " +
                        std::to_string(seconds.count()));
    }
    const auto own = dialect().session;
    session.insert(session.end(), own.begin(), own.end());
    return MysqlConnection::open(with_environments_password(url_), session);
  }
  [[nodiscard]] std::unique_ptr<RawConnection> raw() const override {
    return std::make_unique<MysqlRaw>(url_);
  }
  [[nodiscard]] Dialect dialect() const override { return mysql({.schema = name_}); }
  [[nodiscard]] std::string table(std::string_view name) const override {
    return name_ + "." + std::string{name};
  }
  [[nodiscard]] std::optional<Dialect> beside(Connection& /*connection*/) const override {
    return mysql({.schema = beside_name()});
  }
  [[nodiscard]] std::string objects() const override {
    return "SELECT 'table', TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '" +
           name_ +
           "' UNION SELECT 'index', "
           "CASE INDEX_NAME WHEN 'PRIMARY' THEN CONCAT('PRIMARY of ', TABLE_NAME) ELSE INDEX_NAME "
           "END "
           "FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = '" +
           name_ + "' ORDER BY 1, 2";
  }

  void remove() const override { MysqlRaw{url_}.execute(how_to_remove()); }
  [[nodiscard]] std::string how_to_remove() const override {
    return "DROP DATABASE IF EXISTS " + name_ + "; DROP DATABASE IF EXISTS " + beside_name();
  }

 private:
  [[nodiscard]] std::string beside_name() const { return name_ + "_b"; }
  std::string url_;
  std::string name_;
};

Texts texts() {
  return {
      .begin = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED; START TRANSACTION",
      .commit = "COMMIT",
      .rollback = "ROLLBACK",
      .begin_snapshot = "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; START TRANSACTION",
      // What decides is read with a lock, and a locking read sees the winner.
      // https://dev.mysql.com/doc/refman/en/innodb-consistent-read.html
      .snapshot_race = std::nullopt,
      .mutual_wait = Errc::deadlock,
      // What is free, the insert, what was stored: neither server tells by itself.
      .trips_a_batch = 3,
      .short_lock_wait = "SET SESSION innodb_lock_wait_timeout = 1",
      .hostile_session = {"SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE",
                          "SET SESSION time_zone = '-12:00'",
                          "SET SESSION sql_mode = 'ANSI,NO_BACKSLASH_ESCAPES'",
                          "SET SESSION sql_safe_updates = 1", "SET SESSION sql_select_limit = 1",
                          "SET SESSION collation_connection = 'utf8mb4_general_ci'"},
      .read_only_session = "SET SESSION TRANSACTION READ ONLY",
      .other_time_zone = "SET SESSION time_zone = '-12:00'",
      // What the connection itself sets per statement is not a setting.
      .session_settings =
          "SHOW SESSION VARIABLES WHERE Variable_name NOT IN ('timestamp', 'pseudo_thread_id', "
          "'rand_seed1', 'rand_seed2', 'last_insert_id', 'insert_id', 'identity', 'error_count', "
          "'warning_count', 'statement_id', 'last_gtid', 'gtid_executed', 'gtid_binlog_pos', "
          "'gtid_binlog_state', 'gtid_current_pos', 'in_transaction')",
      .earlier =
          [](std::string_view column, Duration by) {
            return "TIMESTAMPADD(MICROSECOND, -" + std::to_string(by.count()) + ", " +
                   std::string{column} + ")";
          },
      .id =
          [](JobId id) {
            auto hex = id.text();
            std::erase(hex, '-');
            return "X'" + hex + "'";
          },
      .drop_index =
          [](const std::string& table, const std::string& index) {
            return "ALTER TABLE " + table + " DROP INDEX " + index;
          },
      .history_table =
          [](const std::string& table) {
            return "CREATE TABLE " + table +
                   " (seq BIGINT AUTO_INCREMENT PRIMARY KEY, job_id VARCHAR(36), "
                   "group_key VARCHAR(128), event VARCHAR(16))";
          },
  };
}

// "mysql 9.7.4" or "mariadb 10.11.19".
std::string version_of(MysqlRaw& raw) {
  const auto version = raw.execute("SELECT VERSION()").at(0).at(0);
  const bool mariadb = version.find("MariaDB") != std::string::npos;
  return (mariadb ? "mariadb " : "mysql ") + version.substr(0, version.find('-'));
}

Server server(const std::string& url) {
  MysqlRaw raw{url};
  const auto version = version_of(raw);
  auto instance = "mysql_" + version.substr(0, version.rfind('.'));
  for (const char c : {' ', '.'}) std::ranges::replace(instance, c, '_');
  return {.instance = instance, .version = version, .texts = texts()};
}

void check(const std::string& url) {
  MysqlRaw raw{url};
  const auto version = version_of(raw);
  const auto at_least = [&](const std::string& name, int major, int minor) {
    int found_major = 0;
    int found_minor = 0;
    if (!version.starts_with(name)) return true;
    std::sscanf(version.c_str() + name.size(), " %d.%d", &found_major, &found_minor);
    return std::pair{found_major, found_minor} >= std::pair{major, minor};
  };
  if (!at_least("mysql", 8, 4) || !at_least("mariadb", 10, 6)) {
    throw RawError{version + ": MySQL 8.4 and MariaDB 10.6 are the oldest that are supported"};
  }
  if (raw.execute("SELECT DATABASE()").at(0).at(0) == "(null)") {
    throw RawError{
        "the URL must name a database, such as information_schema: mysql://user@host/database"};
  }
  const std::string probe = "tqc_may_create";
  try {
    raw.execute("CREATE DATABASE IF NOT EXISTS " + probe + "; DROP DATABASE IF EXISTS " + probe);
  } catch (const RawError& error) {
    const auto user = raw.execute("SELECT CURRENT_USER()").at(0).at(0);
    throw RawError{std::string{error.what()} + "; the user " + user +
                   " must be allowed to make databases for the tests; as an administrator run: "
                   "GRANT ALL ON `tqc\\_%`.* TO '" +
                   user.substr(0, user.find('@')) + "'@'" + user.substr(user.find('@') + 1) + "'"};
  }
}

}  // namespace

Pair mysql_mysql() {
  return {.name = "mysql_mysql",
          .schemes = {"mysql", "mariadb", "mysql+mysql"},
          .variables = {"TQ_TEST_MYSQL_URL"},
          .server = server,
          .check = check,
          .place = [](const std::string& url, const std::string& name) {
            return std::make_unique<Database>(url, name);
          }};
}

}  // namespace tq::conformance
