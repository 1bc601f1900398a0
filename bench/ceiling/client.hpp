// The ceiling: the same statements, said by the bare client libraries in the tightest loop.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tq/dialect.hpp"

namespace tq::bench {

/// One connection of a client library, and no more around it than the calls that it takes. Rows are
/// texts; null is the empty one.
class Client {
 public:
  using Row = std::vector<std::string>;

  Client() = default;
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  virtual ~Client() = default;

  /// Prepared once. Throws std::runtime_error.
  virtual std::vector<Row> run(const Statement& statement, std::span<const Argument> arguments) = 0;
  virtual void execute(const std::string& text) = 0;
  /// Each group of calls in a transaction of its own; gives the rows of each call that has columns.
  /// A client library that can sends all of it at once.
  virtual std::vector<std::vector<Row>> transactions(std::span<const std::vector<Call>> groups,
                                                     const std::string& begin);
  /// As Hands::round_trip().
  virtual double round_trip();
};

/// `url` without the name of the dialect is what the client library takes.
[[nodiscard]] std::unique_ptr<Client> postgresql_client(const std::string& url);
[[nodiscard]] std::unique_ptr<Client> mysql_client(const std::string& url);
[[nodiscard]] std::unique_ptr<Client> sqlite_client(const std::string& url);

}  // namespace tq::bench
