// What a driver that reaches several engines has to know of the one at the other end.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "servers/report.hpp"
#include "tq/connection.hpp"
#include "tq/error.hpp"

namespace tq::servers {

/// Runs SQL text on the connection and throws tq::Error if it fails.
using Execute = std::function<void(std::string_view text)>;

/// What a session says of itself.
struct Session {
  std::string id = {};  ///< what KILL takes, where the server has that
  /// A text of this many bytes or more cannot be sent.
  std::size_t argument_bytes = std::numeric_limits<std::size_t>::max();
};

/// An engine. There is one object for each, which lives as long as the process.
struct Server {
  std::string_view name;  ///< the dialect's: "postgresql"
  /// The error for a report. `statement` may be empty.
  Error (*translate)(const Report& report, std::string_view statement);
  /// The error for a connection that could not be made; null: the words say it all.
  Error (*not_connected)(const Report& report);
  /// What begins a transaction where tq::Transaction leaves it to the driver; empty: nothing does,
  /// and the client library is told when to commit.
  std::string_view begin;
  /// After a failed statement the transaction can only be rolled back.
  bool error_fails_transaction;
  /// After this error in a transaction only the server knows whether it is still open.
  bool (*may_have_lost_transaction)(const Error& error) noexcept;
  /// Asks whether a transaction is open and leaves nothing behind. Throws what `execute` throws if
  /// the server does not answer.
  TransactionState (*ask_transaction)(const Execute& execute);
  /// A text of more bytes of UTF-8 is bound as one that may only be stored, not compared; 0: it
  /// makes no difference.
  std::size_t short_bytes;
  /// Asks for a row, as text, that read_session() takes; empty: there is nothing to ask.
  std::string_view session_query;
  /// Throws Errc::invalid_argument if the session's character set is not UTF-8.
  Session (*read_session)(const std::vector<std::string>& row);
};

[[nodiscard]] const Server& postgresql() noexcept;
[[nodiscard]] const Server& mysql() noexcept;  ///< MariaDB too
[[nodiscard]] const Server& oracle() noexcept;
[[nodiscard]] const Server& sqlite() noexcept;
[[nodiscard]] const Server& sqlserver() noexcept;

/// The engine that calls itself so, in whatever letters ("PostgreSQL", "MariaDB", "Oracle",
/// "Microsoft SQL Server"), as SQL_DBMS_NAME has it; null if it is none of these.
[[nodiscard]] const Server* server_called(std::string_view product) noexcept;

}  // namespace tq::servers
