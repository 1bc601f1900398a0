// What the suite needs to know about a pair (driver, dialect) besides the product itself. Each
// pair fills this in, in one file of backends/; nothing else in the suite knows an engine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tq/connection.hpp"
#include "tq/dialect.hpp"
#include "tq/error.hpp"
#include "tq/id.hpp"
#include "tq/time.hpp"

namespace tq::conformance {

/// What one statement cost and how the engine went about it.
struct Examined {
  std::string statement;  ///< its name
  std::string plan;       ///< the engine's explanation, for people
  std::int64_t work = 0;  ///< rows or steps that the engine went through
  std::string objection;  ///< what the pair finds unacceptable in the plan; empty: nothing
};

/// The application's own connection, spoken to through the raw client library alone.
class RawConnection {
 public:
  using Row = std::vector<std::string>;

  RawConnection() = default;
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;
  virtual ~RawConnection() = default;

  /// Runs a statement or a script; gives the rows of a statement as text, null as "(null)".
  /// Throws RawError.
  virtual std::vector<Row> execute(const std::string& sql) = 0;
  /// A Connection of the driver under test that borrows this one.
  virtual std::unique_ptr<Connection> borrow() = 0;
  /// Runs a statement and gives the steps that the engine made for it; nullopt where the client
  /// library cannot tell.
  virtual std::optional<std::int64_t> steps(const std::string& /*sql*/) { return std::nullopt; }
};

class RawError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How the library's own connection is to be opened.
struct OpenOptions {
  Duration lock_wait = {};                ///< give up a lock after this; 0: as the pair likes
  std::vector<std::string> session = {};  ///< more session settings, before the dialect's own
};

/// An isolated place in a database: a schema, a file. It comes into being with the first thing that
/// is done in it. Any thread may use it.
class Place {
 public:
  Place() = default;
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  virtual ~Place() = default;

  /// By this name another process finds it.
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::unique_ptr<Connection> open(const OpenOptions& options = {}) const = 0;
  [[nodiscard]] virtual std::unique_ptr<RawConnection> raw() const = 0;
  [[nodiscard]] virtual Dialect dialect() const = 0;
  /// A table's name as SQL text has to say it here.
  [[nodiscard]] virtual std::string table(std::string_view name) const = 0;
  /// A dialect whose tables lie in another schema that `connection` can use at the same time;
  /// nullopt where Capabilities::named_schema is false. May prepare the connection for it.
  [[nodiscard]] virtual std::optional<Dialect> beside(Connection& connection) const = 0;
  /// SQL that gives (kind, name) of every table and index here, in order; kind "table" or "index".
  [[nodiscard]] virtual std::string objects() const = 0;
  /// Explains and measures a statement as it would run now, in `raw`'s open transaction, and leaves
  /// no change behind.
  [[nodiscard]] virtual Examined examine(RawConnection& raw, const Statement& statement,
                                         std::span<const Argument> arguments) const = 0;
  /// Removes it with all that is in it; nothing there is fine. Throws RawError.
  virtual void remove() const = 0;
  /// What a person has to do if remove() cannot.
  [[nodiscard]] virtual std::string how_to_remove() const = 0;
};

/// The few SQL texts and facts in which engines differ and that tests need beside the product.
struct Texts {
  // An application's transaction.
  std::string begin;
  std::string commit;
  std::string rollback;
  /// One that keeps the snapshot of its first statement.
  std::string begin_snapshot;
  /// What a race with a concurrent winner is under begin_snapshot (ENQ-2); nullopt: an answer.
  std::optional<Errc> snapshot_race;
  /// Two transactions that wait for each other end by this.
  Errc mutual_wait;
  /// It ends the whole transaction of one of them; false: one statement of it is undone.
  bool mutual_wait_ends_transaction = true;
  /// How often the library asks the database for each batch of an enqueue.
  int trips_a_batch;
  /// Makes a raw connection's open transaction wait at most 100 ms for a lock; empty: the engine
  /// has no such setting, and a lock is waited for without an end.
  std::string short_lock_wait;
  /// The most hostile defaults that an administrator may have set, as session settings.
  std::vector<std::string> hostile_session;
  /// A session setting under which nothing can be written; empty: the engine has none.
  std::string read_only_session;
  /// What a write under it is refused by.
  Errc read_only_refusal = Errc::read_only;
  /// Why the application's connection has no autocommit, so that a transaction is open there at any
  /// time; empty: it has.
  std::string no_autocommit = {};
  /// A session time zone far from UTC; empty: the engine has none.
  std::string other_time_zone;
  /// Gives the session's settings as rows, to compare.
  std::string session_settings;
  /// Counts the rows that were committed, outside of a transaction without a wait for others; none:
  /// the engine's plain count does.
  std::function<std::string(const std::string& table, const std::string& where)> committed_count =
      {};
  /// A column of a time moved back by a duration, as an expression.
  std::function<std::string(std::string_view column, Duration by)> earlier;
  /// A job's identity as a literal.
  std::function<std::string(JobId id)> id;
  /// Locks a whole table against everybody else, until the application's transaction ends or, where
  /// that is not enough, `unlock`; none: every writer does.
  std::function<std::string(const std::string& table)> lock_table = {};
  std::string unlock = {};
  /// Drops an index of a table.
  std::function<std::string(const std::string& table, const std::string& index)> drop_index;
  /// Makes `table`: seq ascending by itself, job_id and group_key text, event text.
  std::function<std::string(const std::string& table)> history_table;
};

/// What connections to a server cannot have although the dialect could, because of a pooler or of
/// the client library, each with the reason; empty: they have it.
struct Limits {
  std::string session = {};        ///< settings for more than a transaction, as in OpenOptions
  std::string announcements = {};  ///< a WakeUp
  std::string steps = {};          ///< Examined::work
};

/// One server (or library) of a pair. All tests run on each.
struct Server {
  std::string pair = {};      ///< Pair::name, filled in by servers()
  std::string url = {};       ///< its URL with the password, filled in by servers()
  std::string instance = {};  ///< the pair, and what tells its servers apart
  std::string version = {};   ///< for the report: the engine and its version
  Texts texts = {};
  Limits limits = {};
};

/// A pair of a driver and a dialect, and how it comes to its servers.
struct Pair {
  std::string name;                    ///< "driver_dialect"
  std::vector<std::string> schemes;    ///< of the URLs that it takes; the first is shown
  std::vector<std::string> variables;  ///< of the environment: its servers where no --url is given
  std::string fallback = {};           ///< the URL where neither names one; empty: none
  /// Asks a server what it is. Throws RawError if it does not answer.
  std::function<Server(const std::string& url)> server;
  /// Throws RawError, which says what to do, if the suite cannot work there.
  std::function<void(const std::string& url)> check;
  /// The place of this name (at most 30 of a-z, 0-9 and _).
  std::function<std::unique_ptr<Place>(const std::string& url, const std::string& name)> place;
};

/// Every pair that was built: the table that main() walks.
[[nodiscard]] std::vector<Pair> all_pairs();

}  // namespace tq::conformance
