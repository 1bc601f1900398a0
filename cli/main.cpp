// The program tq: names the engines that it supports, parses the command line, runs a command.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <sstream>

#include "command.hpp"
#include "drivers/built_in.hpp"
#include "message.hpp"
#include "tq/error.hpp"
#include "tq/mysql.hpp"
#include "tq/oracle.hpp"
#include "tq/postgresql.hpp"
#include "tq/sqlite.hpp"
#include "tq/sqlserver.hpp"
#include "usage_error.hpp"

namespace tq::cli {
namespace {

constexpr const char* description =
    "Job queues in ordinary tables of your own database.\n"
    "Each command has a page of its own: tq COMMAND --help";

constexpr const char* footer =
    "Examples:\n"
    "  export TQ_DATABASE_URL=sqlite:///jobs.db\n"
    "  tq init\n"
    "  tq enqueue -q mail welcome '{\"to\": \"ann@example.org\"}'\n"
    "  tq work -q mail --exec 'send-mail'\n"
    "  tq stats\n\n"
    "Environment:\n"
    "  TQ_DATABASE_URL       the database, unless --db names it\n"
    "  TQ_DATABASE_PASSWORD  the password for a URL without one; a command line is seen in ps\n"
    "  TQ_WORKER             the owner of claims, unless --worker names it\n"
    "  NO_COLOR              set to anything: no colours\n"
    "  TERM                  dumb, or not set: no colours, and nothing is drawn over\n\n"
    "Exit codes:\n"
    "  0  done\n"
    "  1  the database or the work failed\n"
    "  2  wrong usage or bad input\n"
    "  3  nothing there: an empty claim, an unknown job to show, cancel or requeue\n"
    "  4  acknowledgement refused: the lease is lost, or there is no such job\n\n"
    "Values:\n"
    "  DURATION  500ms, 30s, 5m, 2h, 7d\n"
    "  TIME      2026-01-31T18:30:00Z, or with an offset such as +02:00\n"
    "  URL       tq engines lists the forms";

// https://www.postgresql.org/docs/current/ddl-schemas.html#DDL-SCHEMAS-PRIV
constexpr const char* postgresql_init_rights =
    "to install the tables, be the owner of the database, or let the owner GRANT CREATE ON SCHEMA "
    "to this role (GRANT CREATE ON DATABASE for a tq_schema that is not there yet); to upgrade "
    "them, be their owner";

// https://docs.oracle.com/en/database/oracle/oracle-database/19/sqlrf/CREATE-TABLE.html
constexpr const char* oracle_init_rights =
    "GRANT CREATE TABLE, CREATE SEQUENCE to this user and give it a QUOTA on its tablespace; "
    "tables in "
    "the schema of another user are best installed as that user";

constexpr const char* mysql_init_rights =
    "GRANT CREATE, INSERT, SELECT, UPDATE on the database to this user";

constexpr const char* sqlserver_init_rights =
    "GRANT CREATE TABLE to this user, and GRANT ALTER ON SCHEMA of the schema that is to hold the "
    "tables (GRANT CREATE SCHEMA for a tq_schema that is not there yet)";

BuiltIn built_in() {
  return {.dialects = {{.name = "sqlite",
                        .default_driver = "sqlite3",
                        .drivers = {"sqlite3", "odbc", "soci"},
                        .example = "sqlite:///jobs.db",
                        .make = &sqlite,
                        .only_schema = "main"},
                       {.name = "postgresql",
                        .default_driver = "libpq",
                        .drivers = {"libpq", "odbc", "soci"},
                        .example = "postgresql://user@host/database",
                        .make = &postgresql,
                        .init_rights = postgresql_init_rights},
                       {.name = "oracle",
                        .default_driver = "odbc",
                        .drivers = {"odbc", "soci"},
                        .example = "oracle://user@host/service",
                        .make = &oracle,
                        .init_rights = oracle_init_rights},
                       {.name = "mysql",
                        .default_driver = "mysql",
                        .drivers = {"mysql", "odbc", "soci"},
                        .example = "mysql://user@host/database",
                        .make = &mysql,
                        .init_rights = mysql_init_rights},
                       {.name = "sqlserver",
                        .default_driver = "odbc",
                        .drivers = {"odbc", "soci"},
                        .example = "sqlserver://user@host/database",
                        .make = &sqlserver,
                        .init_rights = sqlserver_init_rights}},
          .drivers = built_in_drivers()};
}

// A database's file or socket must never get the number of a closed standard stream: our results
// would go into it.
void fill_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    // Opened the wrong way round, so that using it is still an error.
    const int filler = ::open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (filler != stream && filler >= 0) ::close(filler);
  }
}

// The common options stand before or behind the command's name.
void add_common(CLI::App& app, Session& session) {
  app.add_option("--db", session.urls, "URL of the database (default: TQ_DATABASE_URL)")
      ->allow_extra_args(false)
      ->type_name("URL");
  app.add_flag("--json", session.json, "Write JSON, one object a line");
}

// In the words of our own messages.
std::string explained(const CLI::ParseError& error, const CLI::App& tq, const CLI::App& app) {
  const bool command = !tq.remaining().empty();  // what stands where a command's name should
  const std::vector<std::string> unknown = command ? tq.remaining() : app.remaining();
  const auto option = std::ranges::find_if(
      unknown, [](const std::string& text) { return text.size() > 1 && text.starts_with('-'); });
  // It may be a URL that stands in the wrong place.
  const auto shown = [](const std::string& text) {
    return text.find("://") == std::string::npos ? text : redacted(text);
  };
  if (option != unknown.end()) return fmt::format("there is no option '{}'", shown(*option));
  if (!unknown.empty()) {
    return fmt::format(
        fmt::runtime(command ? "there is no command '{}'" : "'{}' was not expected here"),
        shown(unknown.front()));
  }
  std::string text = error.what();
  constexpr std::string_view twice = ": At Most 1 required but received";
  constexpr std::string_view missing = ": 1 required ";
  if (const auto at = text.find(twice); at != std::string::npos) {
    return text.substr(0, at) + " is given more than once";
  }
  if (const auto at = text.find(missing); at != std::string::npos) {
    return text.substr(0, at) + " needs a value";
  }
  return text;
}

Exit usage(const CLI::ParseError& error, const CLI::App& tq, const CLI::App& app, Output& out) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    std::ostringstream asked;
    tq.exit(error, asked, asked);
    out.write(asked.str());
    out.flush();
    return Exit::done;
  }
  report(explained(error, tq, app));
  tell(fmt::format("Try: tq {}--help", &app == &tq ? "" : app.get_name() + " "));
  return Exit::usage;
}

Exit run(Command& command, Session& session) {
  try {
    const Exit exit = command.run(session);
    session.out.flush();
    return exit;
  } catch (const UsageError& error) {
    session.out.flush();
    report(session.without_secrets(error.what()));
    return Exit::usage;
  } catch (const Error& error) {
    session.out.flush();
    report(session.without_secrets(error.what()));
    return error.code() == Errc::invalid_argument ? Exit::usage : Exit::failed;
  }
}

int main_of(int count, const char* const* arguments) {
  const BuiltIn engines = built_in();
  Session session{engines};
  CLI::App tq{description, "tq"};
  tq.footer(footer);
  tq.get_formatter()->label("SUBCOMMAND", "COMMAND");
  tq.set_version_flag("--version", std::string{"tq "} + TQ_VERSION);
  // At most one, or a job of the kind "fail" would be taken for another command.
  tq.require_subcommand(0, 1);
  add_common(tq, session);
  std::vector<std::pair<CLI::App*, std::unique_ptr<Command>>> commands;
  for (auto& command : all_commands()) {
    CLI::App* app = command->describe(tq);
    add_common(*app, session);
    commands.emplace_back(app, std::move(command));
  }
  const auto chosen = [&] {
    return std::ranges::find_if(commands, [](const auto& entry) { return entry.first->parsed(); });
  };
  try {
    tq.parse(count, arguments);
  } catch (const CLI::ParseError& error) {
    const auto command = chosen();
    const CLI::App& app = command == commands.end() ? tq : *command->first;
    return static_cast<int>(usage(error, tq, app, session.out));
  }
  const auto command = chosen();
  if (command == commands.end()) {
    session.out.write(tq.help());
    session.out.flush();
    return static_cast<int>(Exit::done);
  }
  const char* url = std::getenv("TQ_DATABASE_URL");
  if (session.urls.empty() && url != nullptr && *url != '\0') session.urls = {url};
  return static_cast<int>(run(*command->second, session));
}

}  // namespace
}  // namespace tq::cli

int main(int count, char** arguments) {
  // A closed pipe is an error of write(), which says more than a signal.
  std::signal(SIGPIPE, SIG_IGN);
  std::ios::sync_with_stdio(false);  // or standard input is read byte by byte
  tq::cli::fill_closed_streams();
  try {
    return tq::cli::main_of(count, arguments);
  } catch (const std::exception& error) {
    tq::cli::report(error.what());
    return static_cast<int>(tq::cli::Exit::failed);
  }
}
