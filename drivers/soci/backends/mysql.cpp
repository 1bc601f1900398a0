// SOCI's mysql backend, over the client library of MariaDB or MySQL.
#include "servers/mysql.hpp"

#include <soci/mysql/soci-mysql.h>

#include <algorithm>
#include <optional>

#include "session_backend.hpp"
#include "targets.hpp"

namespace tq::soci_driver {
namespace {

struct FreeResult {
  void operator()(MYSQL_RES* result) const noexcept { mysql_free_result(result); }
};
using Result = std::unique_ptr<MYSQL_RES, FreeResult>;

MYSQL* connection_of(soci::session& session) {
  auto* const backend = session.get_backend();
  auto* const connection =
      backend == nullptr ? nullptr : static_cast<soci::mysql_session_backend*>(backend)->conn_;
  if (connection == nullptr) throw lost({});
  return connection;
}

servers::Report last_report(MYSQL* connection) {
  return {.number = static_cast<int>(mysql_errno(connection)),
          .sqlstate = mysql_sqlstate(connection),
          .message = mysql_error(connection)};
}

// The first row of the first result, as text. Reads all of them.
std::vector<std::string> query(MYSQL* connection, const std::string& text, std::string_view name) {
  std::vector<std::string> first;
  int more = mysql_real_query(connection, text.data(), text.size());
  for (; more == 0; more = mysql_next_result(connection)) {
    const Result result{mysql_store_result(connection)};
    if (!result && mysql_field_count(connection) > 0) break;
    if (!result || !first.empty()) continue;
    const auto* const row = mysql_fetch_row(result.get());
    if (row == nullptr) continue;
    const auto* const lengths = mysql_fetch_lengths(result.get());
    for (unsigned i = 0; i < mysql_num_fields(result.get()); ++i) {
      first.emplace_back(row[i] == nullptr ? std::string{} : std::string{row[i], lengths[i]});
    }
  }
  if (mysql_errno(connection) != 0) throw servers::mysql_error(last_report(connection), name);
  return first;
}

constexpr std::string_view escaped = "\\'\"\n\r\x1A";

// The server quotes a statement that it cannot parse, and SOCI has written the values into it.
std::string message_of(const soci::soci_error& error, int number) {
  constexpr int parse_error = 1064;
  return number == parse_error ? "the server cannot parse the statement"
                               : error.get_error_message();
}

class Mysql final : public Backend {
 public:
  /// `target`: the connect string of a session that the driver opened, for another that cancels.
  Mysql(soci::session& session, std::string target)
      : session_{session}, target_{std::move(target)} {}

  [[nodiscard]] const servers::Server& server() const noexcept override { return servers::mysql(); }

  // The client library quotes by the character set that it believes in.
  void check() override {
    auto* const connection = connection_of(session_);
    const std::string_view believed = mysql_character_set_name(connection);
    if (believed != "utf8mb4") {
      throw Error{Errc::invalid_argument,
                  "the client library takes the session's character set for " +
                      std::string{believed} +
                      ", but TableQueue speaks utf8mb4; open it with charset=utf8mb4"};
    }
    if (known_) return;
    known_ = server().read_session(query(connection, std::string{server().session_query}, {}));
  }

  // SOCI writes values into the statement, where each quote and backslash takes a second byte.
  void check_size(const Statement& statement, std::span<const Argument> arguments) override {
    std::size_t bytes = 0;
    for (const auto& argument : arguments) {
      const auto* const text = std::get_if<std::string_view>(&argument);
      if (text == nullptr) continue;
      bytes += text->size() + static_cast<std::size_t>(std::ranges::count_if(*text, [](char c) {
                 return escaped.find(c) != std::string_view::npos;
               }));
    }
    constexpr std::size_t rest_of_statement = 65536;
    if (bytes + rest_of_statement < known_->argument_bytes) return;
    throw Error{Errc::invalid_argument,
                statement.name() + ": with its arguments it has " + std::to_string(bytes) +
                    " bytes, but the server's max_allowed_packet is " +
                    std::to_string(known_->argument_bytes) + "; raise it, or send less at once"};
  }

  void send(const std::string& text, std::string_view name) override {
    auto* const connection = connection_of(session_);
    try {
      (void)query(connection, text, name);
      stale_ = false;
    } catch (const Error&) {
      stale_ = true;
      throw;
    }
  }

  bool start(soci::statement& prepared, const Statement& statement) override {
    try {
      prepared.execute(false);
    } catch (const soci::soci_error& error) {
      throw translate(error, statement.name());
    }
    stale_ = false;
    auto* const result = native(prepared).result_;
    const auto columns = result == nullptr ? 0 : mysql_num_fields(result);
    if (columns < statement.columns().size()) refuse_answer(statement);
    return prepared.fetch();
  }

  void finish(soci::statement& prepared) override {
    native(prepared).clean_up();
    auto* const connection = connection_of(session_);
    while (mysql_more_results(connection)) {
      if (mysql_next_result(connection) > 0) {
        throw servers::mysql_error(last_report(connection), {});
      }
      const Result ignored{mysql_store_result(connection)};
    }
  }

  [[nodiscard]] Error translate(const soci::soci_error& error, std::string_view name) override {
    stale_ = true;
    const auto* const reported = dynamic_cast<const soci::mysql_soci_error*>(&error);
    if (reported == nullptr) return plain_error(error, name);
    const int number = static_cast<int>(reported->err_num_);
    const auto message = message_of(error, number);
    return servers::mysql_error(
        {.number = number, .sqlstate = mysql_sqlstate(connection_of(session_)), .message = message},
        name);
  }

  // The server sends its flags with each answer, but for an error.
  // https://dev.mysql.com/doc/dev/mysql-server/latest/page_protocol_basic_ok_packet.html
  [[nodiscard]] TransactionState known_state() noexcept override {
    auto* const backend = session_.get_backend();
    if (backend == nullptr) return TransactionState::unknown;
    const auto flags = static_cast<soci::mysql_session_backend*>(backend)->conn_->server_status;
    const bool open =
        (flags & SERVER_STATUS_IN_TRANS) != 0 || (flags & SERVER_STATUS_AUTOCOMMIT) == 0;
    return open ? TransactionState::open : TransactionState::none;
  }

  [[nodiscard]] TransactionState ask_state() noexcept override {
    auto* const backend = session_.get_backend();
    if (backend == nullptr) return TransactionState::unknown;
    if (stale_) {
      if (mysql_ping(static_cast<soci::mysql_session_backend*>(backend)->conn_) != 0) {
        return TransactionState::unknown;
      }
      stale_ = false;
    }
    return known_state();
  }

  void cancel() noexcept override {
    if (target_.empty()) return;
    try {
      soci::session beside{soci::mysql, target_};
      (void)query(connection_of(beside), "KILL QUERY " + id_, {});
    } catch (const std::exception&) {
      return;  // the statement goes on; there is nobody to tell
    }
  }

  /// For cancel(), which must not look at the session.
  void remember_id() { id_ = std::to_string(mysql_thread_id(connection_of(session_))); }

 private:
  static soci::mysql_statement_backend& native(soci::statement& prepared) {
    return static_cast<soci::mysql_statement_backend&>(*prepared.get_backend());
  }

  soci::session& session_;
  std::string target_;
  std::string id_ = {};
  std::optional<servers::Session> known_ = {};
  bool stale_ = false;  // an error came since the flags did
};

std::unique_ptr<soci::session> connect(const MysqlTarget& target) {
  try {
    return std::make_unique<soci::session>(soci::mysql, target.text + target.waits);
  } catch (const soci::mysql_soci_error& error) {
    const auto message = error.get_error_message();
    throw servers::mysql_not_connected(
        {.number = static_cast<int>(error.err_num_), .message = message});
  } catch (const soci::soci_error& error) {
    throw Error{Errc::invalid_argument,
                "no connection to the server: " + error.get_error_message()};
  }
}

Opened open(Url& url) {
  const auto target = mysql_target(url);
  auto session = connect(target);
  auto* const connection = connection_of(*session);
  // SOCI leaves the first to chance, and has no word for the second.
  const my_bool off = 0;
  mysql_options(connection, MYSQL_OPT_RECONNECT, &off);
  const unsigned none = 0;
  mysql_options(connection, MYSQL_OPT_LOCAL_INFILE, &none);
  if (target.tls && mysql_get_ssl_cipher(connection) == nullptr) {
    throw Error{Errc::connection_lost,
                "no connection to the server: it offers no TLS, but ssl-ca asks for it"};
  }
  auto backend = std::make_unique<Mysql>(
      *session, target.text + " connect_timeout=10 read_timeout=10 write_timeout=10");
  backend->remember_id();
  // The server's init_connect may have chosen another character set.
  backend->send("SET NAMES utf8mb4", "session");
  return {.session = std::move(session), .backend = std::move(backend)};
}

}  // namespace

BackendEntry mysql_backend() {
  return {.name = "mysql",
          .open = &open,
          .borrow = [](soci::session& session) -> std::unique_ptr<Backend> {
            return std::make_unique<Mysql>(session, "");
          }};
}

}  // namespace tq::soci_driver
