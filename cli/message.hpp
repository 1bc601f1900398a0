// What the program says of itself, on standard error.
#pragma once

#include <string_view>

namespace tq::cli {

/// All of these drop what cannot be written (standard error is closed, its disk is full): what the
/// command did, and its exit code, must not depend on whether somebody hears of it. Any thread.

/// As it is: a part of a line, or what moves the cursor.
void write_message(std::string_view text) noexcept;
/// One line.
void tell(std::string_view line);
/// One line that begins with "tq: ", which is red where colours are welcome.
void report(std::string_view message);

}  // namespace tq::cli
