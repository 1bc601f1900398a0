// SOCI's postgresql backend, over libpq.
#include "servers/postgresql.hpp"

#include <libpq-fe.h>
#include <soci/postgresql/soci-postgresql.h>
#include <soci/version.h>

#include <array>
#include <random>

#include "session_backend.hpp"
#include "targets.hpp"

namespace tq::soci_driver {
namespace {

struct ClearResult {
  void operator()(PGresult* result) const noexcept { PQclear(result); }
};
struct FreeCancel {
  void operator()(PGcancel* cancel) const noexcept { PQfreeCancel(cancel); }
};
using Result = std::unique_ptr<PGresult, ClearResult>;
using Cancel = std::unique_ptr<PGcancel, FreeCancel>;

std::string_view field(const PGresult* result, int code) {
  const auto* const value = PQresultErrorField(result, code);
  return value == nullptr ? std::string_view{} : std::string_view{value};
}

// libpq breaks its own messages into lines, and may report several attempts.
std::string one_line(std::string_view message) {
  std::string text;
  for (const char c : message) {
    const bool blank = c == ' ' || c == '\n' || c == '\t';
    if (!blank) text += c;
    if (blank && !text.empty() && text.back() != ' ') text += ' ';
  }
  if (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

// Of "Cannot prepare statement. Fatal error. ERROR:  words\nDETAIL:  a row" the words.
std::string words_of(const std::string& message) {
  const auto line = std::string_view{message}.substr(0, message.find('\n'));
  const auto severity = line.find(":  ");
  return std::string{severity == std::string_view::npos ? line : line.substr(severity + 3)};
}

class Postgresql final : public Backend {
 public:
  explicit Postgresql(soci::session& session)
      : session_{session}, cancel_{PQgetCancel(connection())} {}

  [[nodiscard]] const servers::Server& server() const noexcept override {
    return servers::postgresql();
  }

  void check() override {
    auto* const connection = this->connection();
    if (PQstatus(connection) == CONNECTION_BAD) throw gone(connection, {});
    if (native().single_row_mode_) {
      throw Error{Errc::invalid_argument,
                  "the session gives single rows, which this driver cannot read; open it without "
                  "singlerows"};
    }
    if (PQtransactionStatus(connection) == PQTRANS_ACTIVE) {
      throw Error{Errc::invalid_argument,
                  "another command is under way on the connection; read its results first"};
    }
    const auto* const encoding = PQparameterStatus(connection, "client_encoding");
    (void)server().read_session({encoding == nullptr ? "UTF8" : encoding});
  }

  void send(const std::string& text, std::string_view name) override { (void)run(text, name); }

  // In a failed transaction COMMIT succeeds, and rolls back.
  void commit() override {
    const auto result = run("COMMIT", "commit");
    if (std::string_view{PQcmdStatus(result.get())} == "COMMIT") return;
    throw Error{ErrorDetails{.code = Errc::failed, .transaction_lost = true, .statement = "commit"},
                "commit: a statement of the transaction had failed, so it was rolled back"};
  }

  void rollback() override {
    if (known_state() != TransactionState::none) send("ROLLBACK", "rollback");
  }

  bool start(soci::statement& prepared, const Statement& statement) override {
    auto& result = result_of(prepared);
    try {
      prepared.execute(false);
    } catch (const soci::soci_error& error) {
      if (PQresultErrorField(result, PG_DIAG_SQLSTATE) == nullptr) throw;
      throw of_server(result, statement.name());
    }
    if (PQnfields(result) < static_cast<int>(statement.columns().size())) refuse_answer(statement);
    return prepared.fetch();
  }

  // SOCI 4.1 does not export what frees the rows, so there they stay until the next ones.
  void finish([[maybe_unused]] soci::statement& prepared) override {
#if SOCI_VERSION < 400100
    result_of(prepared).reset();
#endif
  }

  [[nodiscard]] Error translate(const soci::soci_error& error, std::string_view name) override {
    if (PQstatus(connection()) == CONNECTION_BAD) return gone(connection(), name);
    const auto* const reported = dynamic_cast<const soci::postgresql_soci_error*>(&error);
    if (reported == nullptr) return plain_error(error, name);
    const auto sqlstate = reported->sqlstate();
    const auto words = words_of(error.get_error_message());
    return servers::postgresql_error({.sqlstate = sqlstate, .message = words}, name);
  }

  // To free it, SOCI sends a statement, which a failed transaction refuses.
  [[nodiscard]] bool keeps_failed() const noexcept override { return true; }

  // "Cached plan must not change result type" has the state of a missing feature.
  [[nodiscard]] bool must_prepare_anew(const Error& error) const override {
    return error.sqlstate() == "26000" || error.sqlstate() == "0A000";
  }

  [[nodiscard]] TransactionState known_state() noexcept override {
    switch (PQtransactionStatus(connection())) {
      case PQTRANS_IDLE:
        return TransactionState::none;
      case PQTRANS_ACTIVE:
      case PQTRANS_INTRANS:
        return TransactionState::open;
      case PQTRANS_INERROR:
        return TransactionState::failed;
      case PQTRANS_UNKNOWN:
        break;
    }
    return TransactionState::unknown;
  }

  void cancel() noexcept override {
    std::array<char, 256> complaint{};
    if (cancel_) PQcancel(cancel_.get(), complaint.data(), static_cast<int>(complaint.size()));
  }

 private:
  [[nodiscard]] soci::postgresql_session_backend& native() const {
    auto* const backend = session_.get_backend();
    if (backend == nullptr) throw lost({});
    return static_cast<soci::postgresql_session_backend&>(*backend);
  }

  [[nodiscard]] PGconn* connection() const noexcept {
    auto* const backend = session_.get_backend();
    return backend == nullptr ? nullptr
                              : static_cast<soci::postgresql_session_backend*>(backend)->conn_;
  }

  static soci::details::postgresql_result& result_of(soci::statement& prepared) {
    return static_cast<soci::postgresql_statement_backend*>(prepared.get_backend())->result_;
  }

  Result run(const std::string& text, std::string_view name) {
    Result result{PQexec(connection(), text.c_str())};
    const auto status = PQresultStatus(result.get());
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK || status == PGRES_EMPTY_QUERY) {
      return result;
    }
    if (PQresultErrorField(result.get(), PG_DIAG_SQLSTATE) != nullptr) {
      throw of_server(result.get(), name);
    }
    if (PQstatus(connection()) == CONNECTION_BAD) throw gone(connection(), name);
    const auto message = one_line(PQerrorMessage(connection()));
    throw servers::postgresql_error({.message = message}, name);
  }

  static Error of_server(const PGresult* result, std::string_view name) {
    return servers::postgresql_error({.sqlstate = field(result, PG_DIAG_SQLSTATE),
                                      .message = field(result, PG_DIAG_MESSAGE_PRIMARY),
                                      .detail = field(result, PG_DIAG_MESSAGE_DETAIL),
                                      .hint = field(result, PG_DIAG_MESSAGE_HINT)},
                                     name);
  }

  static Error gone(const PGconn* connection, std::string_view name) {
    auto error = lost(name);
    const auto message = connection == nullptr ? "" : one_line(PQerrorMessage(connection));
    if (message.empty()) return error;
    return {error.details(), name.empty() ? message : std::string{name} + ": " + message};
  }

  soci::session& session_;
  Cancel cancel_;
};

Opened open(Url& url) {
  const auto target = postgresql_target(url);
  std::unique_ptr<soci::session> session;
  try {
    session = std::make_unique<soci::session>(soci::postgresql, target.text);
  } catch (const soci::soci_error& error) {
    throw Error{ErrorDetails{.code = Errc::connection_lost, .transaction_lost = true},
                "no connection to the server: " + one_line(error.get_error_message())};
  }
  auto& native = static_cast<soci::postgresql_session_backend&>(*session->get_backend());
  PQsetNoticeProcessor(
      native.conn_, [](void*, const char*) {}, nullptr);
  // The names of prepared statements count on from here. A pooler that mixes sessions up then gives
  // an error, and not another session's statement.
  std::random_device random;
  native.statementCount_ = std::uniform_int_distribution{1, 1'000'000'000}(random);
  auto backend = std::make_unique<Postgresql>(*session);
  return {.session = std::move(session),
          .backend = std::move(backend),
          .keeps_statements = target.prepare};
}

}  // namespace

BackendEntry postgresql_backend() {
  return {.name = "postgresql",
          .open = &open,
          .borrow = [](soci::session& session) -> std::unique_ptr<Backend> {
            return std::make_unique<Postgresql>(session);
          }};
}

}  // namespace tq::soci_driver
