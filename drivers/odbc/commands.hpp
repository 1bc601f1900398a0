// Statements of a connection, on one handle each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cancel.hpp"
#include "handles.hpp"
#include "quirks.hpp"
#include "tq/statement.hpp"

namespace tq::odbc {

/// Throws Failure.
[[nodiscard]] StatementHandle make_statement(SQLHDBC connection);

void prepare(SQLHSTMT statement, const std::string& text, Text encoding);

/// Runs what was prepared, or the text, reads all that it gives, and keeps the declared columns of
/// the first result that has any. Throws Failure, also for one that comes with a later result, and
/// Errc::failed if the columns are not there. While it executes, `canceller` can cancel it.
[[nodiscard]] Rows run_prepared(SQLHSTMT prepared, const Statement& statement, Text encoding,
                                Canceller& canceller);
void run_text(SQLHSTMT statement, const std::string& text, Text encoding, Canceller& canceller);

/// The first row of a text's first result, null as an empty text. Throws Failure.
[[nodiscard]] std::vector<std::string> first_row(SQLHSTMT statement, const std::string& text,
                                                 Text encoding);

}  // namespace tq::odbc
