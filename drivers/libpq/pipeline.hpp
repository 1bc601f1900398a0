// A whole transaction in one flight.
#pragma once

#include <libpq-fe.h>

#include <span>
#include <string>
#include <vector>

#include "prepared.hpp"
#include "tq/statement.hpp"

namespace tq::libpq {

/// Sends `begin`, the calls and COMMIT at once, then reads the answers.
/// https://www.postgresql.org/docs/current/libpq-pipeline-mode.html
/// Throws the first error, with the name of its statement; the transaction is then rolled back, or
/// outcome_unknown() when the connection died before COMMIT was answered. `prepared` null: nothing
/// is prepared.
[[nodiscard]] std::vector<Rows> run_pipelined(PGconn* connection, PreparedStatements* prepared,
                                              const std::string& begin,
                                              std::span<const Call> calls);

}  // namespace tq::libpq
