#include "servers/sqlite.hpp"

#include <algorithm>
#include <array>

namespace tq::servers {
namespace {

// SQLite never changes them. https://www.sqlite.org/rescode.html
enum Result : int {
  error = 1,
  perm = 3,
  busy = 5,
  locked = 6,
  nomem = 7,
  readonly = 8,
  readonly_dbmoved = readonly | (4 << 8),
  interrupt = 9,
  ioerr = 10,
  corrupt = 11,
  full = 13,
  cantopen = 14,
  protocol = 15,
  toobig = 18,
  constraint = 19,
  constraint_primarykey = constraint | (6 << 8),
  constraint_unique = constraint | (8 << 8),
  constraint_rowid = constraint | (10 << 8),
  mismatch = 20,
  auth = 23,
  notadb = 26,
};

struct Row {
  int code;  // an extended code, or a primary one that stands for all of its extensions
  Errc meaning;
  std::string_view advice;
};

// An extended code is looked for before its primary code.
constexpr std::array table{
    Row{busy, Errc::busy, "another connection writes; try again"},
    Row{locked, Errc::busy, "another connection of this process uses the table; try again"},
    Row{protocol, Errc::busy, "the locks of the write-ahead log are contended; try again"},
    Row{constraint_unique, Errc::duplicate, ""},
    Row{constraint_primarykey, Errc::duplicate, ""},
    Row{constraint_rowid, Errc::duplicate, ""},
    Row{constraint, Errc::constraint, ""},
    Row{mismatch, Errc::constraint, ""},
    Row{interrupt, Errc::cancelled, "the statement was cancelled"},
    Row{cantopen, Errc::connection_lost,
        "the file, or its -wal or -shm beside it, cannot be opened; are the folder and the rights "
        "to write in it there?"},
    Row{ioerr, Errc::connection_lost, "the file system gave an error"},
    Row{readonly_dbmoved, Errc::connection_lost, "the file was moved or deleted meanwhile"},
    Row{readonly, Errc::read_only,
        "the database can only be read; check mode=ro in the URL and the rights to the file and "
        "its "
        "folder"},
    Row{full, Errc::failed, "the disk, or PRAGMA max_page_count, is used up"},
    Row{corrupt, Errc::failed, "the file is damaged; see https://www.sqlite.org/recovery.html"},
    Row{notadb, Errc::failed, "the file is not a SQLite database, or it is encrypted"},
    Row{perm, Errc::denied, "the rights to the file do not suffice"},
    Row{auth, Errc::denied, "the application's authorizer refused it"},
    Row{toobig, Errc::failed, "a value is over this connection's SQLITE_LIMIT_LENGTH"},
    Row{nomem, Errc::failed, "memory is used up"},
};

constexpr Row other{error, Errc::failed, ""};

constexpr int primary(int code) noexcept { return code & 0xFF; }

const Row& row_of(int code) noexcept {
  const auto exact = std::ranges::find(table, code, &Row::code);
  if (exact != table.end()) return *exact;
  const auto general = std::ranges::find(table, primary(code), &Row::code);
  return general != table.end() ? *general : other;
}

// Missing tables come as a plain error; only the text tells.
bool misses_our_table(int code, std::string_view message) noexcept {
  if (primary(code) != error || !message.starts_with("no such table:")) return false;
  const auto name = message.substr(message.find(':') + 2);
  return name.starts_with("tq_") || name.find(".tq_") != std::string_view::npos;
}

// Up to 3.40, SQLite takes its own JSON functions, which our checks use, for unsafe in a schema.
// https://www.sqlite.org/pragma.html#pragma_trusted_schema
bool distrusts_the_schema(std::string_view message) noexcept {
  return message.starts_with("unsafe use of ");
}

std::string_view advice_for(int code, std::string_view message) noexcept {
  if (misses_our_table(code, message)) {
    return "TableQueue's tables are not in this database; run `tq init`";
  }
  if (distrusts_the_schema(message)) {
    return "this connection has PRAGMA trusted_schema off; switch it on, or use a newer SQLite";
  }
  return row_of(code).advice;
}

std::string written(std::string_view message, std::string_view advice, const SqliteScene& scene) {
  std::string text{"sqlite"};
  if (!scene.path.empty()) text.append(" ").append(scene.path);
  if (!scene.statement.empty()) text.append(" (").append(scene.statement).append(")");
  text.append(": ").append(message);
  if (!advice.empty()) text.append("; ").append(advice);
  return text;
}

}  // namespace

Errc sqlite_code(int code, std::string_view message) noexcept {
  if (code == constraint && message.starts_with("UNIQUE ")) return Errc::duplicate;
  if (misses_our_table(code, message)) return Errc::schema_missing;
  return row_of(code).meaning;
}

Error sqlite_error(int code, std::string_view message, const SqliteScene& scene) {
  ErrorDetails details{.code = sqlite_code(code, message)};
  details.transaction_lost = scene.transaction_lost;
  // The commit record may have reached the disk although the call that should confirm it failed.
  details.outcome_unknown = scene.in_commit && primary(code) == ioerr;
  details.vendor_code = code;
  details.statement = scene.statement;
  return Error{std::move(details), written(message, advice_for(code, message), scene)};
}

}  // namespace tq::servers
