// Arguments into a prepared statement, and its columns out of it.
#pragma once

#include <span>

#include "handles.hpp"
#include "tq/statement.hpp"

namespace tq::sqlite3_driver {

/// Binds the arguments, in the order of the placeholders' numbers. They are not copied, so they
/// must live until the bindings are cleared. Returns SQLite's result code.
[[nodiscard]] int bind_all(sqlite3_stmt* prepared, std::span<const std::size_t> order,
                           std::span<const Argument> arguments) noexcept;

/// Appends the current row. Throws Errc::failed for a value that is not of the declared type.
void read_row(sqlite3_stmt* prepared, const Statement& statement, Rows& rows);

}  // namespace tq::sqlite3_driver
