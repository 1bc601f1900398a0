// The pair mysql (Connector/C++) + mysql. TQ_TEST_MYSQL_URL names one or more servers, MySQL or
// MariaDB; each test process works in a database of its own.
#include <cppconn/driver.h>
#include <cppconn/exception.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>
#include <cppconn/resultset_metadata.h>
#include <cppconn/statement.h>

#include <algorithm>
#include <cctype>
#include <regex>
#include <sstream>

#include "pair.hpp"
#include "tq/mysql.hpp"
#include "tq/mysql_connector.hpp"

namespace tq::conformance {
namespace {

using Handle = std::unique_ptr<sql::Connection>;
using Result = std::unique_ptr<sql::ResultSet>;

// The client library wants to know each thread that uses it.
sql::Driver& client() {
  static sql::Driver* const driver = get_driver_instance();
  struct Thread {
    Thread() { driver->threadInit(); }
    ~Thread() { driver->threadEnd(); }
  };
  thread_local const Thread thread;
  return *driver;
}

Handle connect(const std::string& url) {
  static const std::regex form{"mysql://([^:@/]*):([^@/]*)@([^:/]+):([0-9]+)/([^?]*)"};
  std::smatch part;
  if (!std::regex_match(url, part, form)) {
    throw RawError{"the URL of a test server has the form mysql://user:password@host:port/database"};
  }
  sql::ConnectOptionsMap options;
  options["hostName"] = "tcp://" + part.str(3) + ":" + part.str(4);
  options["userName"] = part.str(1);
  options["password"] = part.str(2);
  options["schema"] = part.str(5);
  options["OPT_CHARSET_NAME"] = std::string{"utf8mb4"};
  try {
    return Handle{client().connect(options)};
  } catch (const sql::SQLException& error) {
    throw RawError{error.what()};
  }
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
    client();
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
      const auto explain = prepare("EXPLAIN FORMAT=TRADITIONAL " + rendered.text, statement, rendered, arguments);
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
  Database(std::string url, std::string name, Ownership ownership)
      : url_(std::move(url)), name_(std::move(name)), ownership_(ownership) {
    // With a character set that could not hold the jobs: the tables name their own.
    if (ownership == Ownership::made) {
      MysqlRaw{url_}.execute("CREATE DATABASE " + name_ + " CHARACTER SET latin1");
    }
  }
  ~Database() override {
    if (ownership_ == Ownership::found) return;
    try {
      MysqlRaw raw{url_};
      raw.execute("DROP DATABASE IF EXISTS " + name_);
      raw.execute("DROP DATABASE IF EXISTS " + beside_name());
    } catch (const RawError& error) {
      warn("database " + name_ + " is left behind: " + error.what());
    }
  }

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<Connection> open(const OpenOptions& options) const override {
    auto session = options.session;
    if (options.lock_wait > Duration{}) {
      const auto seconds = std::chrono::ceil<std::chrono::seconds>(options.lock_wait);
      session.push_back("SET SESSION innodb_lock_wait_timeout = " + std::to_string(seconds.count()));
    }
    const auto own = dialect().session;
    session.insert(session.end(), own.begin(), own.end());
    return MysqlConnection::open(url_, session);
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
           "' UNION SELECT 'index', CONCAT(TABLE_NAME, '.', INDEX_NAME) "
           "FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = '" +
           name_ + "' ORDER BY 1, 2";
  }

 private:
  [[nodiscard]] std::string beside_name() const { return name_ + "_b"; }
  std::string url_;
  std::string name_;
  Ownership ownership_;
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
      .history_table =
          [](const std::string& table) {
            return "CREATE TABLE " + table +
                   " (seq BIGINT AUTO_INCREMENT PRIMARY KEY, job_id VARCHAR(36), "
                   "group_key VARCHAR(128), event VARCHAR(16))";
          },
  };
}

Server server(const std::string& url) {
  auto version = MysqlRaw{url}.execute("SELECT VERSION()").at(0).at(0);
  const bool mariadb = version.find("MariaDB") != std::string::npos;
  version = version.substr(0, version.find('-'));
  const auto name = std::string{mariadb ? "mariadb" : "mysql"};
  auto instance = "mysql_mysql_" + name + "_" + version.substr(0, version.rfind('.'));
  std::ranges::replace(instance, '.', '_');
  return {.pair = "mysql_mysql",
          .instance = instance,
          .version = name + " " + version,
          .texts = texts(),
          .make_place =
              [url] {
                return std::make_unique<Database>(url, unique_name("tqc_"), Ownership::made);
              },
          .find_place =
              [url](const std::string& made) {
                return std::make_unique<Database>(url, made, Ownership::found);
              }};
}

}  // namespace

Pair mysql_mysql() {
  return {.name = "mysql_mysql", .servers = [] {
            std::vector<Server> servers;
            for (const auto& url : urls_of("TQ_TEST_MYSQL_URL")) servers.push_back(server(url));
            return servers;
          }};
}

}  // namespace tq::conformance
