// What every command is, and what it is given.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "database.hpp"
#include "output.hpp"

namespace tq::cli {

/// The exit codes that scripts rely on.
enum class Exit : std::uint8_t {
  done = 0,
  failed = 1,   ///< the database or the work failed
  usage = 2,    ///< wrong usage or bad input
  nothing = 3,  ///< an empty claim, an unknown job
  lost = 4,     ///< an acknowledgement was refused
};

/// The worse one for a script: the later in the enumeration.
[[nodiscard]] constexpr Exit worse(Exit a, Exit b) noexcept { return a < b ? b : a; }

/// What a command works with: the built-in engines, the common options, standard output.
class Session {
 public:
  explicit Session(const BuiltIn& engines) : built_in(engines) {}

  const BuiltIn& built_in;
  std::vector<std::string> urls = {};  ///< --db; the environment's when it was not given
  bool json = false;
  Output out = {};

  /// The databases named on the command line. Throws UsageError when there is none.
  [[nodiscard]] std::vector<Database> databases(Access access = Access::existing) const;
  /// `message` without the passwords of the URLs and of the environment.
  [[nodiscard]] std::string without_secrets(std::string message) const;
  /// The only one; throws UsageError when there are several.
  [[nodiscard]] Database database(Access access = Access::existing) const;
};

/// A database and an open connection to it, whose tables are there and of a known version.
struct Opened {
  Queue queue;
  std::unique_ptr<Connection> connection;
};

/// Throws tq::Error; a missing schema is answered with what to run.
[[nodiscard]] Opened open(const Session& session);

/// Throws tq::Error that names the command to run when the tables are missing or too old.
void require_schema(Connection& connection, const Database& database);

/// One command of the program.
class Command {
 public:
  Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  /// Adds the command with its options to `tq`. Called once, before run().
  virtual CLI::App* describe(CLI::App& tq) = 0;

  /// Throws UsageError, OutputError and tq::Error.
  virtual Exit run(Session& session) = 0;
};

/// Every command, in the order of the help text.
[[nodiscard]] std::vector<std::unique_ptr<Command>> all_commands();

}  // namespace tq::cli
