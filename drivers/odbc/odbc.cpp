#include "tq/odbc.hpp"

#include <optional>
#include <string_view>
#include <unordered_map>

#include "cancel.hpp"
#include "commands.hpp"
#include "connect.hpp"
#include "error.hpp"
#include "sqlite.hpp"
#include "values.hpp"

namespace tq {

using namespace odbc;

namespace {

// More than a few dialects have statements, and few of what a server allows.
constexpr std::size_t most_prepared = 512;

SQLUINTEGER attribute(SQLHDBC connection, SQLINTEGER which, SQLUINTEGER otherwise) noexcept {
  SQLUINTEGER value = otherwise;
  return SQL_SUCCEEDED(SQLGetConnectAttr(connection, which, &value, 0, nullptr)) ? value
                                                                                 : otherwise;
}

}  // namespace

struct OdbcConnection::State {
  struct Known {
    StatementHandle prepared;
    std::vector<std::size_t> order;
  };

  explicit State(SQLHDBC application) : connection{application} { learn(); }

  explicit State(Target wanted)
      : target{std::move(wanted)},
        link{connect(*target)},
        connection{link.connection.get()},
        transaction{Is::none} {
    learn();
    if (server != target->server) {
      throw Error{Errc::invalid_argument, "the URL says " + std::string{target->server->name} +
                                              ", but the server is " + std::string{server->name}};
    }
    if (target->text) quirks.text = *target->text;
    if (target->sqlite) busy_wait.emplace(target->sqlite->busy_timeout);
  }

  ~State() {
    known.clear();
    beside.reset();
    // The driver manager does not disconnect within a transaction that it knows of.
    if (manual) SQLEndTran(SQL_HANDLE_DBC, connection, SQL_ROLLBACK);
  }

  State(const State&) = delete;
  State& operator=(const State&) = delete;

  bool borrowed() const noexcept { return !link.connection; }

  void learn() {
    quirks = quirks_of(info(connection, SQL_DRIVER_NAME));
    server = &server_of(connection);
  }

  bool dead() const noexcept {
    return lost || attribute(connection, SQL_ATTR_CONNECTION_DEAD, SQL_CD_FALSE) == SQL_CD_TRUE;
  }

  // Runs `body` and turns what it reports into our errors.
  template <class Body>
  auto translated(std::string_view name, Body body) {
    if (lost) throw odbc::lost(name);
    try {
      return busy_wait ? busy_wait->repeat(body) : body();
    } catch (const Failure& failure) {
      fail(failure, name);
    }
  }

  // The same in a session that was found to be fit.
  template <class Body>
  auto guarded(std::string_view name, Body body) {
    if (!session) session = translated(name, [this] { return read_session(); });
    return translated(name, body);
  }

  servers::Session read_session() {
    if (server->session_query.empty()) return server->read_session({});
    const auto asking = make_statement(connection);
    return server->read_session(
        first_row(asking.get(), std::string{server->session_query}, quirks.text));
  }

  [[noreturn]] void fail(const Failure& failure, std::string_view name) {
    auto error = judged(translate(*server, quirks, failure, name));
    const bool unsaid = failure.sqlstate.empty() || error.code() == Errc::invalid_argument;
    if (unsaid && canceller.met()) error = cancelled_late(name);
    lost = dead() || error.code() == Errc::connection_lost;
    if (lost && error.code() != Errc::connection_lost) error = odbc::lost(name);
    failed = true;
    const bool unsure = transaction != Is::none && server->may_have_lost_transaction(error);
    if (!lost && !error.transaction_lost() && unsure) {
      auto details = error.details();
      details.transaction_lost = ask() == TransactionState::none;
      error = Error{std::move(details), error.what()};
    }
    if (!borrowed()) note(error);
    throw std::move(error);
  }

  // SQLCancel came when the statement was just done: the driver manager then keeps its result, or
  // what it failed by, back.
  Error cancelled_late(std::string_view name) const {
    return {ErrorDetails{.code = Errc::cancelled,
                         .outcome_unknown = transaction == Is::none,
                         .statement = std::string{name}},
            std::string{name} + ": cancelled when it was just done, so its result is lost"};
  }

  // PostgreSQL's "cached plan must not change result type" has the state of a missing feature. What
  // was prepared is prepared anew next time.
  Error judged(Error error) const {
    const bool stale = server == &servers::postgresql() && error.sqlstate() == "0A000";
    if (borrowed() || !stale) return error;
    auto details = error.details();
    details.code = Errc::serialization;
    details.transaction_lost = true;
    return {std::move(details), error.what()};
  }

  // What an error means for the transaction of our own.
  void note(const Error& error) {
    if (server->error_fails_transaction && !lost) {
      if (transaction == Is::open) transaction = Is::unsure;
    } else if (error.transaction_lost()) {
      rolled_back = transaction != Is::none;
      transaction = Is::none;
    }
  }

  TransactionState ask() noexcept {
    if (lost) return TransactionState::unknown;
    try {
      return server->ask_transaction([this](std::string_view question) {
        try {
          const auto asking = make_statement(connection);
          run_text(asking.get(), std::string{question}, quirks.text, canceller);
        } catch (const Failure& failure) {
          throw translate(*server, quirks, failure, {});
        }
      });
    } catch (const std::exception&) {
      return TransactionState::unknown;
    }
  }

  // Without autocommit, a transaction is open or the next statement begins one.
  bool autocommit() const noexcept {
    return attribute(connection, SQL_ATTR_AUTOCOMMIT, SQL_AUTOCOMMIT_ON) == SQL_AUTOCOMMIT_ON;
  }

  TransactionState transaction_state() noexcept {
    if (transaction == Is::none) return TransactionState::none;
    if (transaction == Is::open) return TransactionState::open;
    const bool asked = autocommit() || server->error_fails_transaction;
    const auto state = asked ? ask() : TransactionState::open;
    if (!autocommit() && state == TransactionState::none) return TransactionState::open;
    if (!borrowed() && state == TransactionState::open) transaction = Is::open;
    if (!borrowed() && state == TransactionState::none) transaction = Is::none;
    return state;
  }

  Known prepare(const Statement& statement) {
    auto rendered = statement.render(Placeholders::question);
    auto handle = make_statement(connection);
    odbc::prepare(handle.get(), rendered.text, quirks.text);
    return {std::move(handle), std::move(rendered.order)};
  }

  Known& cached(const Statement& statement) {
    const auto found = known.find(statement.id());
    if (found != known.end()) return found->second;
    if (known.size() >= most_prepared) known.clear();
    return known.emplace(statement.id(), prepare(statement)).first->second;
  }

  Rows run(const Known& one, const Statement& statement, std::span<const Argument> arguments) {
    const Parameters parameters{one.prepared.get(), statement, one.order, arguments, quirks};
    return run_prepared(one.prepared.get(), statement, quirks.text, canceller);
  }

  Rows run(const Statement& statement, std::span<const Argument> arguments) {
    return guarded(statement.name(), [&] {
      check_arguments(statement, arguments, session->argument_bytes);
      // Nothing of ours stays behind on the application's connection.
      if (borrowed()) return run(prepare(statement), statement, arguments);
      try {
        return run(cached(statement), statement, arguments);
      } catch (...) {
        known.erase(statement.id());
        throw;
      }
    });
  }

  void execute(std::string_view name, const std::string& words) {
    guarded(name, [&] { run_alone(words); });
  }

  void run_alone(const std::string& words) {
    const auto statement = make_statement(connection);
    run_text(statement.get(), words, quirks.text, canceller);
  }

  void set_autocommit(SQLULEN mode) {
    check(SQLSetConnectAttr(connection, SQL_ATTR_AUTOCOMMIT, as_pointer(mode), 0), SQL_HANDLE_DBC,
          connection);
  }

  // The client's own call. It may claim success on a dead connection.
  void end(SQLSMALLINT how, std::string_view name) {
    guarded(name, [&] {
      check(SQLEndTran(SQL_HANDLE_DBC, connection, how), SQL_HANDLE_DBC, connection);
      if (dead()) throw Failure{.sqlstate = "08S01", .message = "the connection is lost"};
      set_autocommit(SQL_AUTOCOMMIT_ON);
      manual = false;
    });
  }

  // What is known without asking. Of a borrowed connection nothing ever is.
  enum class Is : std::uint8_t { none, open, unsure };

  std::optional<Target> target = {};  // of our own connection; not changed after open()
  Link link = {};                     // empty: the connection is borrowed
  SQLHDBC connection;
  Quirks quirks = {};
  const servers::Server* server = nullptr;
  std::unordered_map<std::uint64_t, Known> known = {};  // freed before their connection
  StatementHandle beside = {};                          // for Cancel::beside
  std::optional<BusyWait> busy_wait = {};               // of our own connection to SQLite
  std::optional<servers::Session> session = {};
  Is transaction = Is::unsure;
  bool manual = false;       // our transaction is begun and ended by the client's own calls
  bool failed = false;       // a statement, since begin()
  bool rolled_back = false;  // by the server, since begin()
  bool lost = false;
  Canceller canceller;
};

OdbcConnection::OdbcConnection(void* connection) : state_(std::make_unique<State>(connection)) {}

OdbcConnection::OdbcConnection(std::unique_ptr<State> state) : state_(std::move(state)) {}

OdbcConnection::~OdbcConnection() = default;

std::unique_ptr<OdbcConnection> OdbcConnection::open(const std::string& url,
                                                     const std::vector<std::string>& session) {
  auto state = std::make_unique<State>(parse_url(url));
  state->translated("open", [&] {
    if (state->target->sqlite) settle(state->connection, *state->target->sqlite);
    if (state->quirks.cancel == Cancel::beside) state->beside = make_statement(state->connection);
  });
  // What the administrator's defaults made of it does not count.
  for (const auto& text : session) {
    state->translated("session", [&] { state->run_alone(text); });
  }
  state->guarded("open", [] {});
  return std::unique_ptr<OdbcConnection>{new OdbcConnection{std::move(state)}};
}

Rows OdbcConnection::run(const Statement& statement, std::span<const Argument> arguments) {
  return state_->run(statement, arguments);
}

void OdbcConnection::execute(std::string_view text) {
  state_->transaction = State::Is::unsure;
  state_->execute("execute", std::string{text});
}

void OdbcConnection::begin(const Transaction& transaction) {
  state_->rolled_back = state_->failed = false;
  if (transaction.begin.empty()) {
    state_->guarded("begin", [this] { state_->set_autocommit(SQL_AUTOCOMMIT_OFF); });
    state_->manual = true;
  } else {
    state_->execute("begin", transaction.begin);
  }
  if (!borrowed()) state_->transaction = State::Is::open;
}

void OdbcConnection::commit() {
  if (state_->lost) throw odbc::lost("commit");
  // A failed transaction would be rolled back by a commit that claims success.
  const bool doubtful = state_->failed && state_->server->error_fails_transaction;
  if (state_->rolled_back || (doubtful && state_->ask() != TransactionState::open)) {
    rollback();
    throw Error{ErrorDetails{.code = Errc::failed, .transaction_lost = true, .statement = "commit"},
                "commit: the server has rolled the transaction back after an earlier error"};
  }
  try {
    if (state_->manual) {
      state_->end(SQL_COMMIT, "commit");
    } else {
      state_->execute("commit", "COMMIT");
    }
  } catch (const Error& error) {
    if (error.code() != Errc::connection_lost) throw;
    auto details = error.details();
    details.outcome_unknown = true;
    throw Error{std::move(details), error.what()};
  }
  if (!borrowed()) state_->transaction = State::Is::none;
}

void OdbcConnection::rollback() noexcept {
  state_->rolled_back = state_->failed = false;
  if (state_->lost || (state_->transaction == State::Is::none && !state_->manual)) return;
  try {
    if (state_->manual) {
      state_->end(SQL_ROLLBACK, "rollback");
    } else {
      state_->execute("rollback", "ROLLBACK");
    }
    if (!borrowed()) state_->transaction = State::Is::none;
  } catch (const std::exception&) {
    // There may have been none. Else nobody knows what it is in the middle of.
    state_->lost = state_->ask() != TransactionState::none;
  }
}

bool OdbcConnection::borrowed() const noexcept { return state_->borrowed(); }

bool OdbcConnection::usable() const noexcept { return !state_->dead(); }

TransactionState OdbcConnection::transaction_state() const noexcept {
  return state_->transaction_state();
}

void OdbcConnection::cancel() noexcept {
  if (state_->busy_wait) state_->busy_wait->stop();
  if (state_->quirks.cancel != Cancel::kill) return state_->canceller.cancel(state_->beside.get());
  if (!state_->target || !state_->session || state_->session->id.empty()) return;
  try {
    const auto beside = connect(*state_->target);
    const auto killing = make_statement(beside.connection.get());
    Canceller nobody;
    run_text(killing.get(), "KILL QUERY " + state_->session->id, state_->quirks.text, nobody);
  } catch (...) {
    return;  // the statement goes on; there is nobody to tell
  }
}

}  // namespace tq
