#include "odbc_fixture.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "commands.hpp"
#include "error.hpp"
#include "processlist.hpp"
#include "servers/url.hpp"
#include "url.hpp"

namespace tq::odbc {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr servers::UrlForm form{.name = "test",
                                .wanted = "dialect://user:password@host:port/database"};

void add(std::vector<std::string>& urls, const char* variable) {
  const char* const value = std::getenv(variable);
  std::istringstream blanks{value == nullptr ? "" : value};
  for (std::string url; blanks >> url;) urls.push_back(url);
}

void check_state(SQLRETURN result, SQLSMALLINT kind, SQLHANDLE handle) {
  if (SQL_SUCCEEDED(result) || result == SQL_NO_DATA) return;
  const auto failure = read_failure(kind, handle);
  throw std::runtime_error{failure.sqlstate + " " + failure.message};
}

}  // namespace

std::vector<std::string> urls() {
  std::vector<std::string> all;
  add(all, "TQ_TEST_POSTGRESQL_URL");
  add(all, "TQ_TEST_MYSQL_URL");
  all.emplace_back("sqlite:///");
  return all;
}

std::vector<std::string> urls_of(std::string_view dialect) {
  auto all = urls();
  std::erase_if(all, [dialect](const std::string& url) { return !url.starts_with(dialect); });
  return all;
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  const auto port = info.param.find_last_of(':');
  auto name = info.param.substr(0, info.param.find(':')) + "_" + info.param.substr(port + 1, 5);
  std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '_'; });
  return name;
}

Application::Application(const std::string& connection_string) {
  auto text = connection_string;
  SQLHANDLE handle = nullptr;
  SQLAllocHandle(SQL_HANDLE_ENV, SQL_NULL_HANDLE, &handle);
  environment_.reset(handle);
  SQLSetEnvAttr(handle, SQL_ATTR_ODBC_VERSION, as_pointer(SQL_OV_ODBC3), 0);
  SQLAllocHandle(SQL_HANDLE_DBC, environment_.get(), &handle);
  connection_.reset(handle);
  check_state(SQLDriverConnect(handle, nullptr, reinterpret_cast<SQLCHAR*>(text.data()), SQL_NTS,
                               nullptr, 0, nullptr, SQL_DRIVER_NOPROMPT),
              SQL_HANDLE_DBC, handle);
}

void Application::run(const std::string& text) const {
  auto sql = text;
  const auto statement = make_statement(connection());
  check_state(SQLExecDirect(statement.get(), reinterpret_cast<SQLCHAR*>(sql.data()), SQL_NTS),
              SQL_HANDLE_STMT, statement.get());
}

void Application::set_autocommit(bool on) const {
  check_state(SQLSetConnectAttr(connection(), SQL_ATTR_AUTOCOMMIT,
                                as_pointer(on ? SQL_AUTOCOMMIT_ON : SQL_AUTOCOMMIT_OFF), 0),
              SQL_HANDLE_DBC, connection());
}

void Application::end(SQLSMALLINT how) const {
  check_state(SQLEndTran(SQL_HANDLE_DBC, connection(), how), SQL_HANDLE_DBC, connection());
}

OdbcServer::OdbcServer() {
  static int count = 0;
  const auto number = std::to_string(getpid()) + "_" + std::to_string(++count);
  table_ = "tq_odbc_test_" + number;
  if (is("sqlite")) {
    folder_ = std::filesystem::temp_directory_path() / table_;
    std::filesystem::create_directory(folder_);
  }
  const std::string type = is("mysql") ? "LONGTEXT) ENGINE=InnoDB CHARACTER SET utf8mb4" : "TEXT)";
  open()->execute("CREATE TABLE " + table_ +
                  " (n BIGINT NOT NULL PRIMARY KEY CHECK (n > -100), words " + type);
}

OdbcServer::~OdbcServer() {
  try {
    if (folder_.empty()) open()->execute("DROP TABLE IF EXISTS " + table_);
  } catch (const Error& error) {
    ADD_FAILURE() << error.what();
  }
  if (!folder_.empty()) std::filesystem::remove_all(folder_);
}

bool OdbcServer::is(std::string_view dialect) const { return GetParam().starts_with(dialect); }

std::string OdbcServer::url(const std::string& parameters) const {
  auto url = GetParam();
  if (!folder_.empty()) url += (folder_ / "queue.db").string();
  if (parameters.empty()) return url;
  return url + (url.find('?') == std::string::npos ? "?" : "&") + parameters;
}

std::unique_ptr<OdbcConnection> OdbcServer::open(const std::string& parameters) const {
  return OdbcConnection::open(url(parameters));
}

std::unique_ptr<OdbcConnection> OdbcServer::open_at(int port, const std::string& parameters) const {
  const auto parts = servers::read_url(GetParam(), form);
  return OdbcConnection::open(parts.scheme + "://" + parts.user + ":" + parts.password +
                              "@127.0.0.1:" + std::to_string(port) + "/" + parts.path + "?" +
                              parameters);
}

Application OdbcServer::application(const std::string& options) const {
  if (is("sqlite")) {
    return Application{"Driver=SQLite3;Database=" + (folder_ / "queue.db").string() + ";" +
                       options};
  }
  const auto parts = servers::read_url(GetParam(), form);
  const std::string driver =
      is("mysql") ? "Driver=MariaDB Unicode;CHARSET=utf8mb4;" : "Driver=PostgreSQL Unicode;";
  return Application{driver + "Server=" + parts.host + ";Port=" + parts.port + ";Database=" +
                     parts.path + ";UID=" + parts.user + ";PWD=" + parts.password + ";" + options};
}

Transaction OdbcServer::transaction() const {
  return {.begin = is("sqlite") ? "BEGIN IMMEDIATE" : "BEGIN"};
}

void OdbcServer::insert(Connection& connection, std::int64_t n) const {
  connection.run(change("INSERT INTO " + table_ + " (n) VALUES (:n)", {{"n", Type::int64}}),
                 std::vector<Argument>{n});
}

void OdbcServer::lock(Connection& connection, std::int64_t n) const {
  connection.run(
      change("UPDATE " + table_ + " SET words = 'locked' WHERE n = :n", {{"n", Type::int64}}),
      std::vector<Argument>{n});
}

std::int64_t OdbcServer::rows() const {
  return number_of(*open(), "SELECT COUNT(*) FROM " + table_);
}

std::string OdbcServer::id_of(Connection& connection) const {
  return text_of(connection, is("mysql") ? "SELECT CONNECTION_ID()" : "SELECT pg_backend_pid()");
}

void OdbcServer::kill(Connection& other) const {
  const auto id = id_of(other);
  const auto killer = open();
  killer->execute(is("mysql") ? "KILL CONNECTION " + id
                              : "SELECT pg_terminate_backend(" + id + ")");
  const auto left = is("mysql")
                        ? "SELECT COUNT(*) FROM " +
                              processlist(number_of(*killer, is_mariadb) == 1) + " WHERE id = " + id
                        : "SELECT COUNT(*) FROM pg_stat_activity WHERE pid = " + id;
  while (number_of(*killer, left) > 0) std::this_thread::sleep_for(1ms);
}

void OdbcServer::wait_until_it_waits(const std::string& id) const {
  if (is("sqlite")) return std::this_thread::sleep_for(50ms);  // nobody could tell
  const auto looking = open();
  const auto waiting =
      is("mysql") ? "SELECT COUNT(*) FROM " + processlist(number_of(*looking, is_mariadb) == 1) +
                        " WHERE id = " + id + " AND (state LIKE '%pdat%' OR state = 'User sleep')"
                  : "SELECT COUNT(*) FROM pg_stat_activity WHERE wait_event_type IN ('Lock', "
                    "'Timeout') AND pid = " +
                        id;
  const auto give_up = Clock::now() + 20s;
  while (number_of(*looking, waiting) == 0) {
    if (Clock::now() > give_up) FAIL() << "session " << id << " never waits";
    std::this_thread::sleep_for(1ms);
  }
}

Error OdbcServer::error_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "no error";
  return {Errc::failed, "none"};
}

Statement OdbcServer::query(std::string text, std::vector<Field> columns,
                            std::vector<Field> parameters) {
  return {"query", std::move(text), std::move(parameters), std::move(columns)};
}

Statement OdbcServer::change(std::string text, std::vector<Field> parameters) {
  return {"change", std::move(text), std::move(parameters), {}};
}

std::int64_t OdbcServer::number_of(Connection& connection, const std::string& sql) {
  return integer(connection.run(query(sql, {{"value", Type::int64}}), {})[0][0]);
}

std::string OdbcServer::text_of(Connection& connection, const std::string& sql) {
  return text(connection.run(query(sql, {{"value", Type::text}}), {})[0][0]);
}

}  // namespace tq::odbc
