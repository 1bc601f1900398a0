// The program tq: names the engines that it supports, parses the command line, runs a command.
#include <fcntl.h>
#include <fmt/color.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "command.hpp"
#include "drivers/built_in.hpp"
#include "tq/error.hpp"
#include "tq/postgresql.hpp"
#include "tq/sqlite.hpp"
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
    "Durations: 500ms, 30s, 5m, 2h, 7d. Times: 2026-01-31T18:30:00Z.\n"
    "Environment: TQ_DATABASE_URL; TQ_DATABASE_PASSWORD, the password for a URL without one, "
    "since\n"
    "others can read a command line in ps; TQ_WORKER, NO_COLOR.\n"
    "Exit codes: 0 done; 1 the database or the work failed; 2 wrong usage or bad input;\n"
    "3 nothing there (empty claim, unknown job to show, cancel or requeue);\n"
    "4 acknowledgement refused (lease lost, or no such job).";

BuiltIn built_in() {
  return {.dialects = {{.name = "sqlite",
                        .default_driver = "sqlite3",
                        .drivers = {"sqlite3"},
                        .example = "sqlite:///jobs.db",
                        .make = &sqlite,
                        .only_schema = "main"},
                       {.name = "postgresql",
                        .default_driver = "libpq",
                        .drivers = {"libpq"},
                        .example = "postgresql://user@host/database",
                        .make = &postgresql}},
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

void report(const std::string& message, const std::vector<std::string>& urls) {
  const auto style = colours_on_error() ? fmt::fg(fmt::terminal_color::red) : fmt::text_style{};
  fmt::print(stderr, "{} {}\n", fmt::format(style, "tq:"), without_passwords(message, urls));
}

// The common options stand before or behind the command's name.
void add_common(CLI::App& app, Session& session) {
  app.add_option("--db", session.urls, "URL of the database (default: TQ_DATABASE_URL)")
      ->allow_extra_args(false)
      ->type_name("URL");
  app.add_flag("--json", session.json, "Write JSON, one object a line");
}

int usage(const CLI::ParseError& error, const CLI::App& tq, const std::string& command) {
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) return tq.exit(error);
  const bool unknown =
      command.empty() && !tq.remaining().empty() && !tq.remaining().front().starts_with('-');
  report(unknown ? fmt::format("there is no command '{}'", tq.remaining().front()) : error.what(),
         {});
  fmt::print(stderr, "Try: tq {}--help\n", command.empty() ? "" : command + " ");
  return static_cast<int>(Exit::usage);
}

Exit run(Command& command, Session& session) {
  try {
    const Exit exit = command.run(session);
    session.out.flush();
    return exit;
  } catch (const UsageError& error) {
    session.out.flush();
    report(error.what(), session.urls);
    return Exit::usage;
  } catch (const Error& error) {
    session.out.flush();
    report(error.what(), session.urls);
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
    return usage(error, tq, command == commands.end() ? "" : command->first->get_name());
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
    tq::cli::report(error.what(), {});
    return static_cast<int>(tq::cli::Exit::failed);
  }
}
