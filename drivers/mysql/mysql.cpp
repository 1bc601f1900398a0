#include <cppconn/exception.h>

#include <optional>
#include <string_view>
#include <unordered_map>

#include "client.hpp"
#include "connect.hpp"
#include "error.hpp"
#include "session.hpp"
#include "tq/mysql_connector.hpp"
#include "url.hpp"
#include "values.hpp"

namespace tq {

using namespace mysql_driver;

namespace {

// More than a few dialects have statements, and few of the server's max_prepared_stmt_count.
constexpr std::size_t most_prepared = 512;

constexpr int packet_too_large = 1153;
constexpr int lock_wait_timeout = 1205;
constexpr int longest_utf8mb4 = 4;

}  // namespace

struct MysqlConnection::State {
  struct Known {
    Prepared prepared;
    std::vector<std::size_t> order;
  };

  explicit State(sql::Connection& application) : connection{application} {}

  explicit State(const Target& wanted)
      : target{wanted}, owned{connect(wanted)}, connection{*owned}, transaction{Is::none} {}

  ~State() {
    (void)client();  // the thread that closes may be another one
  }

  State(const State&) = delete;
  State& operator=(const State&) = delete;

  bool borrowed() const noexcept { return !owned; }

  // Refuses a connection that cannot be used. Asks the server once, and again if the client library
  // has been told of another character set.
  void check() {
    if (lost || connection.isClosed()) throw mysql_driver::lost({});
    int bytes = 0;
    connection.getClientOption("multiByteMaxLength", &bytes);
    if (session && bytes == longest_utf8mb4) return;
    session = read_session(connection);
  }

  // Runs `body` with the client library ready for this thread, and turns its errors into ours.
  template <class Body>
  auto guarded(std::string_view name, Body body) {
    (void)client();
    try {
      check();
      return body();
    } catch (const sql::SQLException& error) {
      fail(error, name);
    }
  }

  [[noreturn]] void fail(const sql::SQLException& raised, std::string_view name) {
    auto error = translate(raised, name);
    // After a packet that is too large the server hangs up.
    lost = lost || error.code() == Errc::connection_lost || error.vendor_code() == packet_too_large;
    if (!error.transaction_lost() && may_have_lost_transaction(error)) {
      auto details = error.details();
      details.transaction_lost = ask() == TransactionState::none;
      error = Error{std::move(details), error.what()};
    }
    if (error.transaction_lost() && !borrowed()) {
      rolled_back = transaction != Is::none;
      transaction = Is::none;
    }
    throw std::move(error);
  }

  // innodb_rollback_on_timeout decides about a lock time-out, a setting of MariaDB about 1020.
  bool may_have_lost_transaction(const Error& error) const noexcept {
    return transaction != Is::none &&
           (error.vendor_code() == lock_wait_timeout || error.code() == Errc::serialization);
  }

  TransactionState ask() noexcept {
    if (lost) return TransactionState::unknown;
    try {
      (void)client();
      return ask_transaction(connection);
    } catch (const std::exception&) {
      return TransactionState::unknown;
    }
  }

  TransactionState transaction_state() noexcept {
    if (transaction == Is::none) return TransactionState::none;
    if (transaction == Is::open) return TransactionState::open;
    const auto state = ask();
    if (!borrowed() && state == TransactionState::open) transaction = Is::open;
    if (!borrowed() && state == TransactionState::none) transaction = Is::none;
    return state;
  }

  Known prepare(const Statement& statement) {
    auto rendered = statement.render(Placeholders::question);
    return {Prepared{connection.prepareStatement(rendered.text)}, std::move(rendered.order)};
  }

  Known& cached(const Statement& statement) {
    const auto found = known.find(statement.id());
    if (found != known.end()) return found->second;
    if (known.size() >= most_prepared) known.clear();
    return known.emplace(statement.id(), prepare(statement)).first->second;
  }

  static Rows run(const Known& one, const Statement& statement,
                  std::span<const Argument> arguments) {
    bind_all(*one.prepared, one.order, arguments);
    bool more = one.prepared->execute();
    if (!more && !statement.columns().empty()) {
      throw Error{Errc::failed, statement.name() + ": the answer lacks columns"};
    }
    std::optional<Rows> rows;
    for (; more; more = one.prepared->getMoreResults()) {
      const Result result{one.prepared->getResultSet()};
      if (!rows && !statement.columns().empty()) rows = read_rows(statement, *result);
    }
    return rows ? std::move(*rows) : Rows{statement.columns().size()};
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

  void execute(std::string_view name, const std::string& text) {
    guarded(name, [&] { run_text(connection, text); });
  }

  // What is known without asking. Of a borrowed connection nothing ever is.
  enum class Is : std::uint8_t { none, open, unsure };

  // Of our own connection, for the one that cancel() makes beside it: not changed after open().
  std::optional<Target> target = {};
  std::string id = {};
  ConnectionHandle owned = {};  // empty: the connection is borrowed
  sql::Connection& connection;
  std::unordered_map<std::uint64_t, Known> known = {};  // closed before their connection
  std::optional<Session> session = {};
  Is transaction = Is::unsure;
  bool rolled_back = false;  // by the server, since begin()
  bool lost = false;
};

MysqlConnection::MysqlConnection(sql::Connection& connection)
    : state_(std::make_unique<State>(connection)) {}

MysqlConnection::MysqlConnection(std::unique_ptr<State> state) : state_(std::move(state)) {}

MysqlConnection::~MysqlConnection() = default;

std::unique_ptr<MysqlConnection> MysqlConnection::open(const std::string& url,
                                                       const std::vector<std::string>& session) {
  auto state = std::make_unique<State>(parse_url(url));
  state->guarded("session", [&] { state->id = state->session->id; });
  for (const auto& text : session) state->execute("session", text);
  return std::unique_ptr<MysqlConnection>{new MysqlConnection{std::move(state)}};
}

Rows MysqlConnection::run(const Statement& statement, std::span<const Argument> arguments) {
  return state_->run(statement, arguments);
}

void MysqlConnection::execute(std::string_view text) {
  state_->transaction = State::Is::unsure;
  state_->execute("execute", std::string{text});
}

void MysqlConnection::begin(const Transaction& transaction) {
  state_->rolled_back = false;
  state_->execute("begin", transaction.begin.empty() ? "START TRANSACTION" : transaction.begin);
  if (!borrowed()) state_->transaction = State::Is::open;
}

// Connector/C++'s own commit() and rollback() keep failures to themselves.
void MysqlConnection::commit() {
  if (state_->lost) throw mysql_driver::lost("commit");
  if (state_->rolled_back) {
    throw Error{ErrorDetails{.code = Errc::failed, .transaction_lost = true, .statement = "commit"},
                "commit: the server has rolled the transaction back after an earlier error"};
  }
  try {
    state_->execute("commit", "COMMIT");
  } catch (const Error& error) {
    if (error.code() != Errc::connection_lost) throw;
    auto details = error.details();
    details.outcome_unknown = true;
    throw Error{std::move(details), error.what()};
  }
  if (!borrowed()) state_->transaction = State::Is::none;
}

void MysqlConnection::rollback() noexcept {
  state_->rolled_back = false;
  if (state_->lost || state_->transaction == State::Is::none) return;
  try {
    state_->execute("rollback", "ROLLBACK");
    if (!borrowed()) state_->transaction = State::Is::none;
  } catch (const std::exception&) {
    state_->lost = true;  // nobody knows what it is in the middle of
  }
}

bool MysqlConnection::borrowed() const noexcept { return state_->borrowed(); }

bool MysqlConnection::usable() const noexcept { return !state_->lost; }

TransactionState MysqlConnection::transaction_state() const noexcept {
  return state_->transaction_state();
}

void MysqlConnection::cancel() noexcept {
  if (!state_->target) return;
  try {
    auto target = *state_->target;
    target.read_timeout = target.write_timeout = target.connect_timeout;
    const auto beside = connect(target);
    run_text(*beside, "KILL QUERY " + state_->id);
  } catch (const std::exception&) {
    return;  // the statement goes on; there is nobody to tell
  }
}

}  // namespace tq
