// The one exception type of the library.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tq {

/// What kind of failure it was. A driver maps each of its client's errors to one of these.
enum class Errc : std::uint8_t {
  connection_lost,   ///< the connection cannot be used any more, or could not be made
  timeout,           ///< a time-out of the statement or of the network
  deadlock,          ///< the engine ended this transaction, or its statement, to break a deadlock
  serialization,     ///< the engine could not keep the caller's isolation level
  busy,              ///< a lock was not to be had in time
  duplicate,         ///< a unique index refused the row
  constraint,        ///< a check or not-null constraint refused the row
  unsupported,       ///< this dialect or driver does not offer it; nothing was changed
  schema_missing,    ///< the tables are not there, or older than this library
  schema_newer,      ///< the tables were made by a newer library
  invalid_argument,  ///< bad input; the database was not asked
  denied,            ///< a privilege is missing
  read_only,         ///< the database, the session or the transaction can only be read
  cancelled,         ///< Connection::cancel() ended the statement
  failed,            ///< anything else; the message says what
};

/// The name of a code, for logs: "deadlock".
[[nodiscard]] std::string_view name(Errc code) noexcept;

/// What an Error carries besides its message.
struct ErrorDetails {
  Errc code = Errc::failed;
  bool transaction_lost = false;  ///< the engine has rolled the whole transaction back
  bool outcome_unknown = false;   ///< it may have taken effect: the answer to a commit was lost
  std::string sqlstate = {};      ///< five characters, or empty where the client has none
  int vendor_code = 0;            ///< the engine's own number, 0 where it has none
  std::string statement = {};     ///< the name of the statement, e.g. "claim"; empty outside one
};

/// Thrown for every failure. Expected outcomes are values, never exceptions. The message can be
/// acted on by a person, and holds no password and no payload.
class Error : public std::runtime_error {
 public:
  Error(ErrorDetails details, const std::string& message)
      : std::runtime_error(message), details_(std::move(details)) {}
  Error(Errc code, const std::string& message) : Error(ErrorDetails{.code = code}, message) {}

  [[nodiscard]] Errc code() const noexcept { return details_.code; }

  /// The same call, in a new transaction, may succeed: deadlock, serialization, busy.
  [[nodiscard]] bool retryable() const noexcept;

  /// It may have happened: do not simply repeat it. Acknowledgements may be repeated all the same,
  /// since a repeat is answered Finish::already.
  [[nodiscard]] bool outcome_unknown() const noexcept { return details_.outcome_unknown; }

  /// The engine has rolled back the transaction in which the statement ran, so the caller's other
  /// changes in it are gone too.
  [[nodiscard]] bool transaction_lost() const noexcept { return details_.transaction_lost; }

  [[nodiscard]] const std::string& sqlstate() const noexcept { return details_.sqlstate; }
  [[nodiscard]] int vendor_code() const noexcept { return details_.vendor_code; }
  [[nodiscard]] const std::string& statement() const noexcept { return details_.statement; }
  [[nodiscard]] const ErrorDetails& details() const noexcept { return details_; }

 private:
  ErrorDetails details_;
};

}  // namespace tq
