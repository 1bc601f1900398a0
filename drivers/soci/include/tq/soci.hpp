// The driver over SOCI 4, for each engine that one of its backends reaches.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tq/connection.hpp"

namespace soci {
class session;
}  // namespace soci

namespace tq {

class SociConnection final : public Connection {
 public:
  /// Borrows the application's session, which must be connected, outlive this object, and not be
  /// reconnected meanwhile. Throws Errc::connection_lost, and Errc::unsupported for a backend that
  /// this library was not built with. What is prepared is freed again at once; SOCI's own
  /// got_data() and get_last_query() are those of the last statement. A session of PostgreSQL with
  /// single rows, or one whose character set is not UTF-8, is refused at each call:
  /// Errc::invalid_argument.
  explicit SociConnection(soci::session& session);
  ~SociConnection() override;

  /// Opens a session of the library's own and runs `session` on it. Takes a URL
  /// `postgresql://user:password@host:port/database`, `mysql://…`, `sqlite:///file`, also with
  /// `+soci` behind the engine's name; docs/drivers/soci.md lists the parameters of each. Throws
  /// Errc::connection_lost, or Errc::invalid_argument naming what it refuses; neither message holds
  /// the password.
  [[nodiscard]] static std::unique_ptr<SociConnection> open(
      const std::string& url, const std::vector<std::string>& session = {});

  /// The version of SOCI that this was built with: "SOCI 4.0.3".
  [[nodiscard]] static std::string client_version();

  Rows run(const Statement& statement, std::span<const Argument> arguments) override;
  void execute(std::string_view text) override;
  void begin(const Transaction& transaction) override;
  void commit() override;
  void rollback() noexcept override;
  [[nodiscard]] bool borrowed() const noexcept override;
  [[nodiscard]] bool usable() const noexcept override;
  /// Read from the client library behind SOCI; on MySQL in one round trip after an error. By ODBC
  /// it is remembered, or asked for in two.
  [[nodiscard]] TransactionState transaction_state() const noexcept override;
  /// On a borrowed session of MySQL it does nothing, since it would need the password; nor by ODBC.
  void cancel() noexcept override;

 private:
  struct State;
  explicit SociConnection(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tq
