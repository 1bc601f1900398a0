// What an application has anyway: its own sqlite3*, its statements and its transactions.
#pragma once

#include <sqlite3.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

using OwnDatabase = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;

inline OwnDatabase open_own(const char* file) {
  sqlite3* opened = nullptr;
  const int answer = sqlite3_open(file, &opened);
  OwnDatabase own{opened, &sqlite3_close};
  if (answer != SQLITE_OK) throw std::runtime_error{sqlite3_errmsg(opened)};
  return own;
}

/// Runs one statement and gives its first value, if it has one.
inline std::string run(sqlite3* own, const char* sql, const std::vector<std::string>& values = {}) {
  sqlite3_stmt* made = nullptr;
  sqlite3_prepare_v2(own, sql, -1, &made, nullptr);
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement{made,
                                                                             &sqlite3_finalize};
  for (int i = 0; const auto& value : values) {
    sqlite3_bind_text(made, ++i, value.c_str(), -1, SQLITE_STATIC);
  }
  const int answer = sqlite3_step(made);
  if (answer == SQLITE_ROW) return reinterpret_cast<const char*>(sqlite3_column_text(made, 0));
  if (answer != SQLITE_DONE) throw std::runtime_error{sqlite3_errmsg(own)};
  return {};
}

/// Rolled back unless it was committed.
class OwnTransaction {
 public:
  explicit OwnTransaction(sqlite3* own) : own_(own) { run(own, "BEGIN IMMEDIATE"); }
  OwnTransaction(const OwnTransaction&) = delete;
  OwnTransaction& operator=(const OwnTransaction&) = delete;
  ~OwnTransaction() {
    if (sqlite3_get_autocommit(own_) == 0) {
      sqlite3_exec(own_, "ROLLBACK", nullptr, nullptr, nullptr);
    }
  }
  void commit() { run(own_, "COMMIT"); }

 private:
  sqlite3* own_;
};
