#include "tq/libpq.hpp"

#include <array>
#include <optional>
#include <string_view>

#include "connect.hpp"
#include "error.hpp"
#include "handles.hpp"
#include "pipeline.hpp"
#include "prepared.hpp"
#include "values.hpp"
#include "wake_up.hpp"

namespace tq {

using libpq::Parameters;
using libpq::Result;

struct LibpqConnection::State {
  PGconn* connection = nullptr;
  libpq::ConnectionHandle owned = {};  // empty: the connection is borrowed
  libpq::CancelHandle cancel = {};
  std::optional<libpq::PreparedStatements> prepared = {};  // empty: nothing is prepared
  std::unique_ptr<libpq::NotificationWakeUp> wake_up = {};
  bool lost = false;

  // Refuses a connection that is in the middle of something.
  void check_idle() const {
    if (PQstatus(connection) == CONNECTION_BAD) throw libpq::lost(connection, {});
    if (PQpipelineStatus(connection) != PQ_PIPELINE_OFF) {
      throw Error{Errc::invalid_argument, "the connection is in pipeline mode; leave it first"};
    }
    if (PQtransactionStatus(connection) == PQTRANS_ACTIVE) {
      throw Error{Errc::invalid_argument,
                  "another command is under way on the connection; read its results first"};
    }
    const auto* const encoding = PQparameterStatus(connection, "client_encoding");
    if (encoding != nullptr && std::string_view{encoding} != "UTF8") {
      throw Error{Errc::invalid_argument,
                  "the connection's client_encoding is " + std::string{encoding} +
                      ", but TableQueue speaks UTF8; set it with PQsetClientEncoding"};
    }
  }

  Result check(Result result, std::string_view statement) {
    const auto status = PQresultStatus(result.get());
    if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return result;
    fail(libpq::translate(connection, result.get(), statement));
  }

  [[noreturn]] void fail(Error error) {
    if (error.code() == Errc::connection_lost) lost = true;
    if (prepared) throw prepared->judge(std::move(error));
    throw error;
  }

  Result execute(const std::string& text, std::string_view name = {}) {
    return check(Result{PQexec(connection, text.c_str())}, name);
  }

  void prepare(const Statement& statement) {
    if (prepared->contains(statement)) return;
    const auto text = statement.render(Placeholders::dollar).text;
    const auto types = libpq::parameter_types(statement);
    check(Result{PQprepare(connection, prepared->name(statement).c_str(), text.c_str(),
                           static_cast<int>(types.size()), types.data())},
          statement.name());
    prepared->add(statement);
  }

  Result run(const Statement& statement, const Parameters& parameters) {
    if (prepared) {
      prepare(statement);
      return Result{PQexecPrepared(connection, prepared->name(statement).c_str(),
                                   parameters.count(), parameters.values(), parameters.lengths(),
                                   parameters.formats(), 0)};
    }
    const auto text = statement.render(Placeholders::dollar).text;
    return Result{PQexecParams(connection, text.c_str(), parameters.count(), parameters.types(),
                               parameters.values(), parameters.lengths(), parameters.formats(), 0)};
  }
};

LibpqConnection::LibpqConnection(pg_conn* connection) : state_(std::make_unique<State>()) {
  state_->connection = connection;
  state_->cancel.reset(PQgetCancel(connection));
}

LibpqConnection::LibpqConnection(std::unique_ptr<State> state) : state_(std::move(state)) {}

LibpqConnection::~LibpqConnection() = default;

std::unique_ptr<LibpqConnection> LibpqConnection::open(const std::string& url,
                                                       const std::vector<std::string>& session) {
  const auto target = libpq::parse_target(url);
  auto state = std::make_unique<State>();
  state->owned = libpq::connect(target);
  state->connection = state->owned.get();
  state->cancel.reset(PQgetCancel(state->connection));
  if (target.prepare == libpq::Prepare::on) {
    state->prepared.emplace();
    for (const auto& text : session) state->execute(text);
  }
  return std::unique_ptr<LibpqConnection>{new LibpqConnection{std::move(state)}};
}

Rows LibpqConnection::run(const Statement& statement, std::span<const Argument> arguments) {
  state_->check_idle();
  const Parameters parameters{statement, arguments};
  const auto result = state_->check(state_->run(statement, parameters), statement.name());
  return libpq::read_rows(statement, result.get());
}

void LibpqConnection::execute(std::string_view text) {
  state_->check_idle();
  state_->execute(std::string{text});
}

std::vector<Rows> LibpqConnection::transact(const Transaction& transaction,
                                            std::span<const Call> calls) {
  state_->check_idle();
  try {
    return libpq::run_pipelined(state_->connection, state_->prepared ? &*state_->prepared : nullptr,
                                transaction.begin, calls);
  } catch (const Error& error) {
    if (error.code() == Errc::connection_lost) state_->lost = true;
    throw;
  }
}

void LibpqConnection::begin(const Transaction& transaction) {
  state_->check_idle();
  state_->execute(transaction.begin.empty() ? "BEGIN" : transaction.begin, "begin");
}

void LibpqConnection::commit() {
  state_->check_idle();
  Result result;
  try {
    result = state_->execute("COMMIT", "commit");
  } catch (const Error& error) {
    if (error.code() != Errc::connection_lost) throw;
    auto details = error.details();
    details.outcome_unknown = true;
    throw Error{std::move(details), error.what()};
  }
  // In a failed transaction COMMIT succeeds, and rolls back.
  if (std::string_view{PQcmdStatus(result.get())} != "COMMIT") {
    throw Error{ErrorDetails{.code = Errc::failed, .transaction_lost = true, .statement = "commit"},
                "commit: a statement of the transaction had failed, so it was rolled back"};
  }
}

void LibpqConnection::rollback() noexcept {
  const auto status = PQtransactionStatus(state_->connection);
  if (status == PQTRANS_INTRANS || status == PQTRANS_INERROR) {
    const Result ignored{PQexec(state_->connection, "ROLLBACK")};
  }
}

bool LibpqConnection::borrowed() const noexcept { return !state_->owned; }

bool LibpqConnection::usable() const noexcept {
  return !state_->lost && PQstatus(state_->connection) == CONNECTION_OK;
}

TransactionState LibpqConnection::transaction_state() const noexcept {
  switch (PQtransactionStatus(state_->connection)) {
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

bool LibpqConnection::has_session() const noexcept { return state_->prepared.has_value(); }

void LibpqConnection::cancel() noexcept {
  std::array<char, 256> complaint{};
  if (state_->cancel) {
    PQcancel(state_->cancel.get(), complaint.data(), static_cast<int>(complaint.size()));
  }
}

WakeUp* LibpqConnection::wake_up() noexcept {
  if (borrowed() || !state_->prepared) return nullptr;
  if (!state_->wake_up) {
    try {
      state_->wake_up = std::make_unique<libpq::NotificationWakeUp>(state_->connection);
    } catch (const std::exception&) {
      return nullptr;  // without a descriptor there is polling
    }
  }
  return state_->wake_up.get();
}

}  // namespace tq
