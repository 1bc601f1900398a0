// What Oracle and its client libraries report, as tq::Error.
#pragma once

#include <cstddef>
#include <string_view>

#include "servers/report.hpp"
#include "tq/error.hpp"

namespace tq::servers {

/// What is bound as a VARCHAR2 in a statement has at most 4,000 bytes, and a client library may
/// count up to four for each of these. What is longer is bound as a LONG, which may only be stored.
constexpr std::size_t oracle_short_bytes = 1000;

/// The error for a report, judged by its ORA number; where that only says in which line of a block
/// it was, or is missing, by the first other one in the message. `statement` may be empty. A
/// deadlock undoes the statement alone: the transaction stays.
[[nodiscard]] Error oracle_error(const Report& report, std::string_view statement);

/// The error for a connection that could not be made.
[[nodiscard]] Error oracle_not_connected(const Report& report);

}  // namespace tq::servers
