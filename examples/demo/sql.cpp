// sql FILE STATEMENTS [VALUE...]: the demo's stand-in for the sqlite3 shell, which need not be
// there. Binds the values as ?1, ?2, ... and prints rows, their columns separated by tabs.
#include <iostream>
#include <span>

#include "own_database.hpp"

namespace {

void print_row(sqlite3_stmt* statement) {
  for (int i = 0; i < sqlite3_column_count(statement); ++i) {
    const auto* value = reinterpret_cast<const char*>(sqlite3_column_text(statement, i));
    std::cout << (i > 0 ? "\t" : "") << (value == nullptr ? "" : value);
  }
  std::cout << '\n';
}

// Runs the first statement of `text`; returns what follows it.
const char* run_first(sqlite3* own, const char* text, std::span<char*> values) {
  sqlite3_stmt* made = nullptr;
  const char* rest = nullptr;
  if (sqlite3_prepare_v2(own, text, -1, &made, &rest) != SQLITE_OK) {
    throw std::runtime_error{sqlite3_errmsg(own)};
  }
  const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement{made,
                                                                             &sqlite3_finalize};
  for (int i = 0; i < sqlite3_bind_parameter_count(made); ++i) {
    sqlite3_bind_text(made, i + 1, values[static_cast<std::size_t>(i)], -1, SQLITE_STATIC);
  }
  int answer = SQLITE_DONE;
  while (made != nullptr && (answer = sqlite3_step(made)) == SQLITE_ROW) print_row(made);
  if (answer != SQLITE_DONE) throw std::runtime_error{sqlite3_errmsg(own)};
  return rest;
}

}  // namespace

int main(int count, char** arguments) try {
  if (count < 3) throw std::runtime_error{"usage: sql FILE STATEMENTS [VALUE...]"};
  const auto own = open_own(arguments[1]);
  sqlite3_busy_timeout(own.get(), 30'000);
  // The worker's own commit, which follows, brings what this one wrote to the disk as well.
  run(own.get(), "PRAGMA synchronous = NORMAL");
  const std::span values{arguments + 3, arguments + count};
  const char* text = arguments[2];
  while (*text != '\0') text = run_first(own.get(), text, values);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "sql: " << error.what() << '\n';
  return 1;
}
