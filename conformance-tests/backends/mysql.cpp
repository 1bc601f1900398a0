// The half of a pair that knows MySQL and MariaDB. A place is a database.
#include "tq/mysql.hpp"

#include <algorithm>
#include <cstdio>

#include "pair.hpp"

namespace tq::conformance {
namespace {

// The columns of EXPLAIN that matter. MySQL has one more, partitions.
struct PlanRow {
  std::string table;
  std::string type;
  std::string extra;
};

PlanRow plan_row(const RawConnection::Row& row) {
  constexpr std::size_t with_partitions = 12;
  return {.table = row.at(2),
          .type = row.at(row.size() == with_partitions ? 4 : 3),
          .extra = row.back()};
}

// What is not good enough in a plan: a table of jobs that is read whole, or a sort before the limit
// of a locking read. "p" and "q" are the small table of queues in the statements that name it.
std::string objection_to(const std::string& statement,
                         const std::vector<RawConnection::Row>& plan) {
  for (const auto& row : plan) {
    const auto [table, type, extra] = plan_row(row);
    const bool ours = table != "(null)" && table[0] != '<' && table != "p" && table != "q" &&
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

std::string plan_text(const std::vector<RawConnection::Row>& plan) {
  std::string text;
  for (const auto& row : plan) {
    for (const auto& column : row) text += column + " | ";
    text += '\n';
  }
  return text;
}

// For a session without NO_BACKSLASH_ESCAPES, as both servers have it by default.
std::string literal(const Field& /*field*/, const Argument& argument) {
  if (const auto* number = std::get_if<std::int64_t>(&argument)) return std::to_string(*number);
  const auto* text = std::get_if<std::string_view>(&argument);
  if (text == nullptr) return "NULL";
  std::string escaped;
  for (const char c : *text) escaped.append(c == '\\' ? 2 : 1, c);
  return text_literal(escaped);
}

// Rows and index entries that this session has gone through.
// https://dev.mysql.com/doc/refman/en/server-status-variables.html#statvar_Handler_read_first
std::int64_t rows_read(RawConnection& raw) {
  std::int64_t sum = 0;
  for (const auto& row : raw.execute("SHOW SESSION STATUS LIKE 'Handler_read%'")) {
    sum += std::stoll(row.at(1));
  }
  return sum;
}

class Database final : public Place {
 public:
  Database(Client client, std::string url, std::string name)
      : client_(std::move(client)), url_(std::move(url)), name_(std::move(name)) {}

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
    return client_.open(url_, session);
  }
  [[nodiscard]] std::unique_ptr<RawConnection> raw() const override { return client_.raw(url_); }
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

  [[nodiscard]] Examined examine(RawConnection& raw, const Statement& statement,
                                 std::span<const Argument> arguments) const override {
    const auto sql = inlined(statement, arguments, &literal);
    raw.execute("SAVEPOINT tqc_examine");
    const auto plan = raw.execute("EXPLAIN FORMAT=TRADITIONAL " + sql);
    const auto before = rows_read(raw);
    raw.execute(sql);
    const auto work = rows_read(raw) - before;
    raw.execute("ROLLBACK TO SAVEPOINT tqc_examine");
    return {.statement = statement.name(),
            .plan = plan_text(plan),
            .work = work,
            .objection = objection_to(statement.name(), plan)};
  }

  void remove() const override { raw()->execute(how_to_remove()); }
  [[nodiscard]] std::string how_to_remove() const override {
    return "DROP DATABASE IF EXISTS " + name_ + "; DROP DATABASE IF EXISTS " + beside_name();
  }

 private:
  [[nodiscard]] std::string beside_name() const { return name_ + "_b"; }
  Client client_;
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
      .lock_table = [](const std::string& table) { return "LOCK TABLES " + table + " WRITE"; },
      .unlock = "UNLOCK TABLES",
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
std::string version_of(RawConnection& raw) {
  const auto version = raw.execute("SELECT VERSION()").at(0).at(0);
  const bool mariadb = version.find("MariaDB") != std::string::npos;
  return (mariadb ? "mariadb " : "mysql ") + version.substr(0, version.find('-'));
}

Server server(const Client& client, const std::string& url) {
  const auto version = version_of(*client.raw(url));
  auto instance = client.driver + "_" + version.substr(0, version.rfind('.'));
  for (const char c : {' ', '.'}) std::ranges::replace(instance, c, '_');
  return {.instance = instance,
          .version = version,
          .texts = texts(),
          .limits = client.limits ? client.limits(url) : Limits{}};
}

void check(const Client& client, const std::string& url) {
  const auto connection = client.raw(url);
  RawConnection& raw = *connection;
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

Pair mysql_with(const Client& client) {
  return {.name = client.driver + "_mysql",
          .schemes = schemes(client, {"mysql", "mariadb"}),
          .variables = {"TQ_TEST_MYSQL_URL"},
          .server = [client](const std::string& url) { return server(client, address(url)); },
          .check = [client](const std::string& url) { check(client, address(url)); },
          .place =
              [client](const std::string& url, const std::string& name) {
                return std::make_unique<Database>(client, address(url), name);
              }};
}

}  // namespace tq::conformance
