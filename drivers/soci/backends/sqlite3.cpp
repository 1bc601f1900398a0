// SOCI's sqlite3 backend, over SQLite's C interface.
#include <sqlite3.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <random>
#include <thread>

#include "servers/sqlite.hpp"
#include "session_backend.hpp"
#include "sqlite3_handles.hpp"
#include "targets.hpp"

namespace tq::soci_driver {
namespace {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using Handle = std::unique_ptr<sqlite3_stmt, Finalize>;

::sqlite3* connection_of(soci::session& session) {
  auto* const connection = sqlite_of(session);
  if (connection == nullptr) throw lost({});
  return connection;
}

std::string path_of(::sqlite3* connection) {
  const auto* const path = sqlite3_db_filename(connection, "main");
  return path == nullptr ? std::string{} : std::string{path};
}

int primary(int code) { return code & 0xFF; }

// Waits for a lock that another process or thread holds, at most for the time-out, until it is told
// to stop. SQLite's own handler cannot be told, and waits longer between two looks.
class BusyWait {
 public:
  explicit BusyWait(std::chrono::milliseconds timeout) : timeout_{timeout} {}

  // https://www.sqlite.org/c3ref/busy_handler.html
  static int handler(void* wait, int round) noexcept {
    return static_cast<BusyWait*>(wait)->next(round) ? 1 : 0;
  }
  [[nodiscard]] bool next(int round) {
    const auto now = std::chrono::steady_clock::now();
    if (round == 0) give_up_ = now + timeout_;
    if (stopped_ || now >= give_up_) return false;
    constexpr int longest_microseconds = 10'000;
    thread_local std::minstd_rand random{std::random_device{}()};
    const int middle = std::min(longest_microseconds, 300 * (round + 1));
    std::uniform_int_distribution<> spread{middle / 5, middle * 9 / 5};
    std::this_thread::sleep_for(std::chrono::microseconds{spread(random)});
    return !stopped_;
  }
  void start() noexcept { stopped_ = false; }
  void stop() noexcept { stopped_ = true; }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

 private:
  std::chrono::milliseconds timeout_;
  std::chrono::steady_clock::time_point give_up_ = {};
  std::atomic<bool> stopped_ = false;
};

class Sqlite final : public Backend {
 public:
  explicit Sqlite(soci::session& session, std::chrono::milliseconds busy_timeout = {})
      : session_{session}, connection_{connection_of(session)}, wait_{busy_timeout} {}

  ~Sqlite() override {
    const std::lock_guard lock{cancelling_};
    connection_ = nullptr;
  }
  Sqlite(const Sqlite&) = delete;
  Sqlite& operator=(const Sqlite&) = delete;

  /// For a session that the driver opened.
  void wait_when_busy() { sqlite3_busy_handler(connection_, &BusyWait::handler, &wait_); }
  [[nodiscard]] BusyWait& wait() { return wait_; }
  [[nodiscard]] ::sqlite3* connection() const noexcept { return connection_; }

  [[nodiscard]] const servers::Server& server() const noexcept override {
    return servers::sqlite();
  }

  void check() override {
    if (session_.get_backend() == nullptr) throw lost({});
    wait_.start();
  }

  void send(const std::string& text, std::string_view name) override {
    const bool open = in_transaction();
    const int result = sqlite3_exec(connection_, text.c_str(), nullptr, nullptr, nullptr);
    if (result != SQLITE_OK) throw error(name, open);
  }

  // A busy COMMIT leaves the transaction open. What is begun afresh is simpler to be sure of.
  void commit() override {
    try {
      send("COMMIT", "commit");
    } catch (const Error& error) {
      rollback();
      auto details = error.details();
      details.transaction_lost = true;
      throw Error{std::move(details), error.what()};
    }
  }

  void rollback() override {
    if (in_transaction()) send("ROLLBACK", "rollback");
  }

  bool start(soci::statement& prepared, const Statement& statement) override {
    auto* const native = sqlite_of(prepared);
    const auto columns = static_cast<std::size_t>(sqlite3_column_count(native));
    if (columns < statement.columns().size()) refuse_answer(statement);
    open_before_ = in_transaction();
    return prepared.execute(true);
  }

  // Without a place for its columns SOCI leaves a statement at its first row.
  void finish(soci::statement& prepared) override {
    auto* const native = sqlite_of(prepared);
    int result = SQLITE_OK;
    if (sqlite3_stmt_busy(native) != 0) {
      do {
        result = sqlite3_step(native);
      } while (result == SQLITE_ROW);
    }
    if (result != SQLITE_OK && result != SQLITE_DONE) throw error({}, open_before_);
    sqlite3_reset(native);
    sqlite3_clear_bindings(native);
  }

  [[nodiscard]] Error translate(const soci::soci_error& reported, std::string_view name) override {
    if (!result_of(reported)) return plain_error(reported, name);
    return error(name, open_before_);
  }

  [[nodiscard]] TransactionState known_state() noexcept override {
    if (session_.get_backend() == nullptr) return TransactionState::unknown;
    return in_transaction() ? TransactionState::open : TransactionState::none;
  }

  void cancel() noexcept override {
    const std::lock_guard lock{cancelling_};
    wait_.stop();
    if (connection_ != nullptr) sqlite3_interrupt(connection_);
  }

 private:
  [[nodiscard]] bool in_transaction() const noexcept {
    return sqlite3_get_autocommit(connection_) == 0;
  }

  // What SQLite says of its last error. `open`: whether a transaction was open before.
  [[nodiscard]] Error error(std::string_view name, bool open) const {
    const int code = sqlite3_extended_errcode(connection_);
    const auto path = path_of(connection_);
    const servers::SqliteScene scene{.statement = name,
                                     .path = path,
                                     .transaction_lost = open && !in_transaction(),
                                     .in_commit = name == "commit"};
    if (primary(code) == SQLITE_BUSY && wait_.stopped()) {
      return servers::sqlite_error(SQLITE_INTERRUPT, sqlite3_errstr(SQLITE_INTERRUPT), scene);
    }
    return servers::sqlite_error(code, sqlite3_errmsg(connection_), scene);
  }

  soci::session& session_;
  ::sqlite3* connection_;
  BusyWait wait_;
  bool open_before_ = false;
  std::mutex cancelling_;  // a cancel() that has begun is over before the handle is closed
};

// Without mode=rwc a misspelt path must not become an empty database. SOCI has no word for that.
void check_exists(const SqliteTarget& target) {
  std::error_code failure;
  if (target.mode == "rwc" || std::filesystem::exists(target.path, failure)) return;
  throw servers::sqlite_error(SQLITE_CANTOPEN, "there is no such file",
                              {.statement = "open", .path = target.path});
}

std::unique_ptr<soci::session> connect(const SqliteTarget& target) {
  check_exists(target);
  try {
    return open_sqlite(target.text);
  } catch (const soci::soci_error& error) {
    const auto result = result_of(error);
    if (!result) throw plain_error(error, "open");
    throw servers::sqlite_error(*result, error.get_error_message(),
                                {.statement = "open", .path = target.path});
  }
}

// The first column of the first row; empty if there is none. The result code goes to `result`.
std::string one_text(::sqlite3* connection, const std::string& text, int& result) {
  sqlite3_stmt* raw = nullptr;
  result = sqlite3_prepare_v2(connection, text.c_str(), -1, &raw, nullptr);
  const Handle handle{raw};
  if (result != SQLITE_OK) return {};
  result = sqlite3_step(raw);
  if (result != SQLITE_ROW) return {};
  result = SQLITE_OK;
  const auto* const value = reinterpret_cast<const char*>(sqlite3_column_text(raw, 0));
  return value == nullptr ? std::string{} : std::string{value};
}

// Changing to WAL needs the file alone, and SQLite gives up on that without asking the busy
// handler, so it is asked again here.
// https://www.sqlite.org/wal.html#activating_and_configuring_wal_mode
int set_journal_mode(::sqlite3* connection, const std::string& wanted, BusyWait& wait) {
  int result = SQLITE_OK;
  for (int round = 0;; ++round) {
    auto mode = one_text(connection, "PRAGMA journal_mode", result);
    if (result == SQLITE_OK && mode != wanted) {
      mode = one_text(connection, "PRAGMA journal_mode=" + wanted, result);
    }
    if (result == SQLITE_OK && mode != wanted && mode != "memory") return SQLITE_CANTOPEN;
    if (primary(result) != SQLITE_BUSY || !wait.next(round)) return result;
  }
}

// The journal mode is kept in the file, so a file that somebody made is left in the mode that they
// chose, unless the URL names one. Without WAL everything still holds, readers and the writer only
// wait for each other more.
void set_up(Sqlite& backend, const SqliteTarget& target) {
  auto* const connection = backend.connection();
  int result = SQLITE_OK;
  if (target.mode != "ro" &&
      (target.journal_mode || one_text(connection, "PRAGMA page_count", result) == "0")) {
    const auto wanted = target.journal_mode.value_or("wal");
    result = set_journal_mode(connection, wanted, backend.wait());
    if (result != SQLITE_OK && target.journal_mode) {
      throw servers::sqlite_error(result, "journal_mode=" + wanted + " cannot be had",
                                  {.statement = "open", .path = target.path});
    }
  }
  backend.send("PRAGMA synchronous=" + target.synchronous, "open");
}

Opened open(Url& url) {
  const auto target = sqlite_target(url);
  auto session = connect(target);
  sqlite3_extended_result_codes(connection_of(*session), 1);
  auto backend = std::make_unique<Sqlite>(*session, target.busy_timeout);
  backend->wait_when_busy();
  set_up(*backend, target);
  return {.session = std::move(session), .backend = std::move(backend)};
}

}  // namespace

BackendEntry sqlite3_backend() {
  return {.name = "sqlite3",
          .open = &open,
          .borrow = [](soci::session& session) -> std::unique_ptr<Backend> {
            return std::make_unique<Sqlite>(session);
          }};
}

}  // namespace tq::soci_driver
