// From a database URL to a dialect and a driver.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tq/connection.hpp"
#include "tq/dialect.hpp"
#include "tq/queue.hpp"
#include "tq/worker.hpp"
#include "url.hpp"

namespace tq::cli {

/// Whether opening may make a database that is not there yet, where a driver would.
enum class Access : std::uint8_t { existing, create };

struct OpenRequest {
  std::string url = {};       ///< dialect://rest, as the driver takes it
  std::string password = {};  ///< from the environment; empty: none
  Access access = Access::existing;
  std::vector<std::string> session = {};
};

struct DriverEntry {
  std::string name;
  std::string version;  ///< of the client library
  std::function<std::unique_ptr<Connection>(const OpenRequest&)> open;
};

struct DialectEntry {
  std::string name;
  std::string default_driver;
  std::vector<std::string> drivers;  ///< all that can serve it
  std::string example;               ///< a URL
  Dialect (*make)(const DialectOptions&);
  std::string only_schema = {};  ///< the one that a connection of ours can have; empty: any
  std::string init_rights = {};  ///< what to do when installing was denied; empty: nothing to say
};

/// What this program was built with.
struct BuiltIn {
  std::vector<DialectEntry> dialects;
  std::vector<DriverEntry> drivers;

  [[nodiscard]] const DriverEntry* driver(std::string_view name) const;
};

/// A database as a command uses it.
struct Database {
  std::string shown;  ///< the URL without its password
  Queue queue;
  Connector connect;        ///< opens a connection; may be called from any thread
  std::string init_rights;  ///< of its DialectEntry
};

/// Connects to nothing yet. Throws UsageError, listing what is built in, and tq::Error for a
/// schema name that is not allowed.
[[nodiscard]] Database find_database(const BuiltIn& built_in, const std::string& url,
                                     const std::string& password, Access access);

}  // namespace tq::cli
