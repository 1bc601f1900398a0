#include "tq/sqlite3.hpp"

#include <mutex>
#include <string_view>
#include <unordered_map>

#include "error.hpp"
#include "open.hpp"
#include "values.hpp"
#include "wake_up.hpp"
#include "writers.hpp"

namespace tq {

using namespace sqlite3_driver;

namespace {

// More than a few dialects have statements; a connection that sees so many is given new ones over
// and over.
constexpr std::size_t most_prepared = 512;

// Clears a statement for its next use. One that is left in the middle of its rows holds a read
// transaction open.
struct ClearStatement {
  void operator()(sqlite3_stmt* prepared) const noexcept {
    sqlite3_reset(prepared);
    sqlite3_clear_bindings(prepared);
  }
};
using InUse = std::unique_ptr<sqlite3_stmt, ClearStatement>;

std::string full_path(sqlite3* database) {
  const char* name = sqlite3_db_filename(database, "main");
  return name == nullptr ? std::string{} : std::string{name};
}

}  // namespace

struct SqliteConnection::State {
  struct Known {
    Prepared prepared;
    std::vector<std::size_t> order;
  };

  explicit State(sqlite3* handle) : borrowed{true}, database{handle}, path{full_path(handle)} {}

  explicit State(const OpenOptions& options)
      : borrowed{false},
        wait{options.busy_timeout},
        owned{open_database(options, wait)},
        database{owned.get()},
        path{options.path},
        writers{writers_of(full_path(database))} {}

  ~State() {
    const std::lock_guard lock{cancelling};
    known.clear();
    wake_up.reset();
    if (!borrowed && in_transaction()) (void)run_text(database, "ROLLBACK");
    end_turn();
    database = nullptr;
  }

  State(const State&) = delete;
  State& operator=(const State&) = delete;

  bool in_transaction() const noexcept { return sqlite3_get_autocommit(database) == 0; }

  Known prepare(std::string_view name, const Rendered& rendered, unsigned flags) {
    sqlite3_stmt* raw = nullptr;
    const char* rest = nullptr;
    const int result = sqlite3_prepare_v3(
        database, rendered.text.data(), static_cast<int>(rendered.text.size()), flags, &raw, &rest);
    Known made{Prepared{raw}, rendered.order};
    if (result != SQLITE_OK) fail(result, name, in_transaction());
    return made;
  }

  const Known& cached(const Statement& statement) {
    const auto found = known.find(statement.id());
    if (found != known.end()) return found->second;
    if (known.size() >= most_prepared) known.clear();
    auto made = prepare(statement.name(), statement.render(Placeholders::numbered),
                        SQLITE_PREPARE_PERSISTENT);
    return known.emplace(statement.id(), std::move(made)).first->second;
  }

  Rows run(const Statement& statement, std::span<const Argument> arguments) {
    wait.start();
    // Nothing of ours stays behind on the application's connection.
    if (borrowed) {
      const auto once = prepare(statement.name(), statement.render(Placeholders::numbered), 0);
      return run(once, statement, arguments);
    }
    return run(cached(statement), statement, arguments);
  }

  Rows run(const Known& one, const Statement& statement, std::span<const Argument> arguments) {
    const auto& columns = statement.columns();
    const auto found = static_cast<std::size_t>(sqlite3_column_count(one.prepared.get()));
    if (arguments.size() != statement.parameters().size() ||
        (!columns.empty() && columns.size() != found)) {
      throw Error{Errc::invalid_argument,
                  "statement " + statement.name() + " is not declared as it is written"};
    }
    const bool open_before = in_transaction();
    const EndOfTurn end_of_turn{*this};
    begin_turn(one.prepared.get(), statement.name());
    const InUse in_use{one.prepared.get()};
    Rows rows{columns.size()};
    int result = bind_all(in_use.get(), one.order, arguments);
    if (result != SQLITE_OK) fail(result, statement.name(), open_before);
    while ((result = sqlite3_step(in_use.get())) == SQLITE_ROW) {
      if (!columns.empty()) read_row(in_use.get(), statement, rows);
    }
    if (result != SQLITE_DONE) fail(result, statement.name(), open_before);
    return rows;
  }

  // Statement by statement, since the turn is needed only for those that write.
  void execute(std::string_view name, std::string_view text) {
    wait.start();
    const EndOfTurn end_of_turn{*this};
    while (!text.empty()) {
      const bool open_before = in_transaction();
      sqlite3_stmt* raw = nullptr;
      const char* rest = nullptr;
      int result =
          sqlite3_prepare_v3(database, text.data(), static_cast<int>(text.size()), 0, &raw, &rest);
      const Prepared prepared{raw};
      if (result != SQLITE_OK) fail(result, name, open_before);
      text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
      if (!prepared) continue;  // a comment or blanks
      begin_turn(raw, name);
      do {
        result = sqlite3_step(raw);
      } while (result == SQLITE_ROW);
      if (result != SQLITE_DONE) fail(result, name, open_before);
    }
  }

  // https://www.sqlite.org/c3ref/stmt_readonly.html counts BEGIN IMMEDIATE as writing.
  void begin_turn(sqlite3_stmt* prepared, std::string_view name) {
    if (borrowed || my_turn || sqlite3_stmt_readonly(prepared) != 0) return;
    my_turn = writers->begin(wait);
    if (my_turn) return;
    const int result = wait.stopped() ? SQLITE_INTERRUPT : SQLITE_BUSY;
    throw error_of(result, sqlite3_errstr(result), {.statement = name, .path = path});
  }

  void end_turn() noexcept {
    if (my_turn) writers->end();
    my_turn = false;
  }

  // The turn lasts until no transaction is open, however the statement ended.
  struct EndOfTurn {
    State& state;
    ~EndOfTurn() {
      if (!state.in_transaction()) state.end_turn();
    }
  };

  // `open_before`: whether a transaction was open before the call that failed. Some errors (a full
  // disk, an interrupted write) end it.
  // https://www.sqlite.org/lang_transaction.html#response_to_errors_within_a_transaction
  [[noreturn]] void fail(int result, std::string_view name, bool open_before) {
    const Scene scene{.statement = name,
                      .path = path,
                      .transaction_lost = open_before && !in_transaction(),
                      .in_commit = name == "commit"};
    const bool given_up = (result & 0xFF) == SQLITE_BUSY && wait.stopped();
    auto error = given_up ? error_of(SQLITE_INTERRUPT, sqlite3_errstr(SQLITE_INTERRUPT), scene)
                          : last_error(database, scene);
    if (error.code() == Errc::connection_lost) usable = false;
    throw std::move(error);
  }

  bool borrowed;
  BusyWait wait{std::chrono::milliseconds{0}};
  Database owned;
  sqlite3* database;
  std::string path;
  std::shared_ptr<Writers> writers;  // also the other connections of this process to the file
  bool my_turn = false;
  bool usable = true;
  std::unordered_map<std::uint64_t, Known> known;
  std::unique_ptr<SqliteWakeUp> wake_up;
  std::mutex cancelling;  // a cancel() that has begun is over before the handle is closed
};

SqliteConnection::SqliteConnection(sqlite3* connection)
    : state_(std::make_unique<State>(connection)) {}

SqliteConnection::SqliteConnection(std::unique_ptr<State> state) : state_(std::move(state)) {}

SqliteConnection::~SqliteConnection() = default;

std::unique_ptr<SqliteConnection> SqliteConnection::open(const std::string& url,
                                                         const std::vector<std::string>& session) {
  auto state = std::make_unique<State>(parse_url(url));
  for (const auto& text : session) state->execute("session", text);
  return std::unique_ptr<SqliteConnection>{new SqliteConnection{std::move(state)}};
}

Rows SqliteConnection::run(const Statement& statement, std::span<const Argument> arguments) {
  return state_->run(statement, arguments);
}

void SqliteConnection::execute(std::string_view text) { state_->execute("execute", text); }

void SqliteConnection::begin(const Transaction& transaction) {
  state_->execute("begin", transaction.begin.empty() ? "BEGIN" : transaction.begin);
}

void SqliteConnection::commit() {
  try {
    state_->execute("commit", "COMMIT");
  } catch (const Error& error) {
    // A busy COMMIT leaves the transaction open. What is begun afresh is simpler to be sure of.
    rollback();
    auto details = error.details();
    details.transaction_lost = true;
    throw Error{std::move(details), error.what()};
  }
}

void SqliteConnection::rollback() noexcept {
  const State::EndOfTurn end_of_turn{*state_};
  if (state_->in_transaction()) (void)run_text(state_->database, "ROLLBACK");
}

bool SqliteConnection::borrowed() const noexcept { return state_->borrowed; }

bool SqliteConnection::usable() const noexcept { return state_->usable; }

TransactionState SqliteConnection::transaction_state() const noexcept {
  return state_->in_transaction() ? TransactionState::open : TransactionState::none;
}

void SqliteConnection::cancel() noexcept {
  const std::lock_guard lock{state_->cancelling};
  state_->wait.stop();
  if (state_->writers) state_->writers->wake();
  if (state_->database != nullptr) sqlite3_interrupt(state_->database);
}

WakeUp* SqliteConnection::wake_up() noexcept {
  if (state_->borrowed) return nullptr;
  try {
    if (!state_->wake_up) {
      state_->wake_up = std::make_unique<SqliteWakeUp>(state_->database, state_->path);
    }
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return state_->wake_up.get();
}

}  // namespace tq
