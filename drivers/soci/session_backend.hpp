// One of SOCI's backends: what SOCI hides of it, or has no way to say. The client library behind it
// knows how a transaction stands and what exactly failed, and takes SQL text as it is, in which
// SOCI would see a parameter behind every colon.
#pragma once

#include <soci/soci.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "servers/server.hpp"
#include "tq/connection.hpp"
#include "url.hpp"

namespace tq::soci_driver {

/// A session's backend, used by the session's thread but for cancel(). Each function may throw
/// tq::Error, and those that go through SOCI soci::soci_error.
class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  [[nodiscard]] virtual const servers::Server& server() const noexcept = 0;

  /// Refuses a session that cannot be used: Errc::connection_lost, Errc::invalid_argument.
  virtual void check() = 0;
  /// Refuses arguments that are too large to be sent: Errc::invalid_argument.
  virtual void check_size(const Statement& /*statement*/, std::span<const Argument> /*arguments*/) {
  }

  /// Sends SQL text as it is and reads all that it gives. `name` is for messages.
  virtual void send(const std::string& text, std::string_view name) = 0;
  virtual void begin(const std::string& text) {
    send(text.empty() ? std::string{server().begin} : text, "begin");
  }
  virtual void commit() { send("COMMIT", "commit"); }
  /// Harmless without a transaction.
  virtual void rollback() { send("ROLLBACK", "rollback"); }

  /// Makes `text` and `indicator` the place of the next parameter that is a text.
  virtual void bind(soci::statement& prepared, std::string& text, soci::indicator& indicator) {
    prepared.exchange(soci::use(text, indicator));
  }
  /// Makes `text` and `indicator` the place of the next column.
  virtual void place(soci::statement& prepared, std::string& text, soci::indicator& indicator) {
    prepared.exchange(soci::into(text, indicator));
  }
  /// Executes a prepared statement; true: its first row is in the places that it was given. Throws
  /// Errc::failed if the answer has fewer columns than are declared.
  virtual bool start(soci::statement& prepared, const Statement& statement) = 0;
  /// Reads to its end what was not fetched, and lets go of it.
  virtual void finish(soci::statement& prepared) = 0;

  /// For what SOCI throws while it prepares or fetches.
  [[nodiscard]] virtual Error translate(const soci::soci_error& error, std::string_view name) = 0;
  /// A statement that failed is kept prepared; else it is freed.
  [[nodiscard]] virtual bool keeps_failed() const noexcept { return false; }
  /// Nothing that was prepared before this error can be used any more.
  [[nodiscard]] virtual bool must_prepare_anew(const Error& /*error*/) const { return false; }

  /// What is known without asking the server.
  [[nodiscard]] virtual TransactionState known_state() noexcept = 0;
  [[nodiscard]] virtual TransactionState ask_state() noexcept { return known_state(); }

  /// From any thread.
  virtual void cancel() noexcept = 0;
};

/// A session of the library's own with its backend, which goes first.
struct Opened {
  std::unique_ptr<soci::session> session;
  std::unique_ptr<Backend> backend;
  /// Nor does it keep what the session is told when it is not.
  bool keeps_statements = true;
};

/// A backend that this library was built with. There is one object for each.
struct BackendEntry {
  std::string_view name;  ///< as soci::session::get_backend_name() gives it
  Opened (*open)(Url& url);
  std::unique_ptr<Backend> (*borrow)(soci::session& session);
};

[[nodiscard]] std::span<const BackendEntry> backends();

/// Throws Errc::unsupported if the library was built without it.
[[nodiscard]] const BackendEntry& backend_called(std::string_view name);

/// The connection is known to be dead.
[[nodiscard]] Error lost(std::string_view statement);

/// Of SOCI itself, or of what nothing better is known. SOCI's what() would quote the statement and
/// all its values.
[[nodiscard]] Error plain_error(const soci::soci_error& error, std::string_view statement);

/// Throws Errc::failed: the answer has fewer columns than the statement declares.
[[noreturn]] void refuse_answer(const Statement& statement);

}  // namespace tq::soci_driver
