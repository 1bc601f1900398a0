#include "error.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>

namespace tq::sqlite3_driver {
namespace {

struct Row {
  int code;  // an extended code, or a primary one that stands for all of its extensions
  Errc meaning;
  std::string_view advice;
};

// An extended code is looked for before its primary code.
constexpr std::array table{
    Row{SQLITE_BUSY, Errc::busy, "another connection writes; try again"},
    Row{SQLITE_LOCKED, Errc::busy, "another connection of this process uses the table; try again"},
    Row{SQLITE_PROTOCOL, Errc::busy, "the locks of the write-ahead log are contended; try again"},
    Row{SQLITE_CONSTRAINT_UNIQUE, Errc::duplicate, ""},
    Row{SQLITE_CONSTRAINT_PRIMARYKEY, Errc::duplicate, ""},
    Row{SQLITE_CONSTRAINT_ROWID, Errc::duplicate, ""},
    Row{SQLITE_CONSTRAINT, Errc::constraint, ""},
    Row{SQLITE_MISMATCH, Errc::constraint, ""},
    Row{SQLITE_INTERRUPT, Errc::cancelled, "the statement was cancelled"},
    Row{SQLITE_CANTOPEN, Errc::connection_lost,
        "the file, or its -wal or -shm beside it, cannot be opened; are the folder and the rights "
        "to write in it there?"},
    Row{SQLITE_IOERR, Errc::connection_lost, "the file system gave an error"},
    Row{SQLITE_READONLY_DBMOVED, Errc::connection_lost, "the file was moved or deleted meanwhile"},
    Row{SQLITE_READONLY, Errc::read_only,
        "the database can only be read; check mode=ro in the URL and the rights to the file and "
        "its "
        "folder"},
    Row{SQLITE_FULL, Errc::failed, "the disk, or PRAGMA max_page_count, is used up"},
    Row{SQLITE_CORRUPT, Errc::failed,
        "the file is damaged; see https://www.sqlite.org/recovery.html"},
    Row{SQLITE_NOTADB, Errc::failed, "the file is not a SQLite database, or it is encrypted"},
    Row{SQLITE_PERM, Errc::denied, "the rights to the file do not suffice"},
    Row{SQLITE_AUTH, Errc::denied, "the application's authorizer refused it"},
    Row{SQLITE_TOOBIG, Errc::failed, "a value is over this connection's SQLITE_LIMIT_LENGTH"},
    Row{SQLITE_NOMEM, Errc::failed, "memory is used up"},
};

constexpr Row other{SQLITE_ERROR, Errc::failed, ""};

const Row& row_of(int extended_code) noexcept {
  const auto exact = std::ranges::find(table, extended_code, &Row::code);
  if (exact != table.end()) return *exact;
  const auto primary = std::ranges::find(table, extended_code & 0xFF, &Row::code);
  return primary != table.end() ? *primary : other;
}

// Missing tables come as a plain SQLITE_ERROR; only the text tells.
bool misses_our_table(int extended_code, std::string_view message) noexcept {
  if ((extended_code & 0xFF) != SQLITE_ERROR || !message.starts_with("no such table:"))
    return false;
  const auto name = message.substr(message.find(':') + 2);
  return name.starts_with("tq_") || name.find(".tq_") != std::string_view::npos;
}

// Up to 3.40, SQLite takes its own JSON functions, which our checks use, for unsafe in a schema.
// https://www.sqlite.org/pragma.html#pragma_trusted_schema
bool distrusts_the_schema(std::string_view message) noexcept {
  return message.starts_with("unsafe use of ");
}

std::string_view advice_for(int extended_code, std::string_view message) noexcept {
  if (misses_our_table(extended_code, message)) {
    return "TableQueue's tables are not in this database; run `tq init`";
  }
  if (distrusts_the_schema(message)) {
    return "this connection has PRAGMA trusted_schema off; switch it on, or use a newer SQLite";
  }
  return row_of(extended_code).advice;
}

std::string written(std::string_view message, std::string_view advice, const Scene& scene) {
  std::string text{"sqlite"};
  if (!scene.path.empty()) text.append(" ").append(scene.path);
  if (!scene.statement.empty()) text.append(" (").append(scene.statement).append(")");
  text.append(": ").append(message);
  if (!advice.empty()) text.append("; ").append(advice);
  return text;
}

}  // namespace

Errc code_of(int extended_code, std::string_view message) noexcept {
  if (misses_our_table(extended_code, message)) return Errc::schema_missing;
  return row_of(extended_code).meaning;
}

Error error_of(int extended_code, std::string_view message, const Scene& scene) {
  ErrorDetails details{.code = code_of(extended_code, message)};
  details.transaction_lost = scene.transaction_lost;
  // The commit record may have reached the disk although the call that should confirm it failed.
  details.outcome_unknown = scene.in_commit && (extended_code & 0xFF) == SQLITE_IOERR;
  details.vendor_code = extended_code;
  details.statement = scene.statement;
  return Error{std::move(details), written(message, advice_for(extended_code, message), scene)};
}

Error last_error(sqlite3* database, const Scene& scene) {
  return error_of(sqlite3_extended_errcode(database), sqlite3_errmsg(database), scene);
}

}  // namespace tq::sqlite3_driver
