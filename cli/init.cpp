#include <fmt/format.h>

#include "commands.hpp"
#include "json.hpp"
#include "options.hpp"
#include "tq/error.hpp"
#include "tq/schema.hpp"

namespace tq::cli {
namespace {

Installed install(Connection& connection, const Database& database) {
  try {
    return install_schema(connection, database.queue.dialect());
  } catch (const Error& error) {
    if (error.code() != Errc::denied || database.init_rights.empty()) throw;
    throw Error{error.details(), fmt::format("{}; {}", error.what(), database.init_rights)};
  }
}

class Init final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app = add_command(tq, "init", "Install or upgrade the tables", group::schema,
                                "  tq init --db sqlite:///jobs.db\n"
                                "  tq init --db postgresql://app@localhost/shop?tq_schema=jobs\n"
                                "  tq init --db postgresql:// --print | less\n\n"
                                "Running it again, or many times at once, does no harm.");
    app->add_flag("--print", print_, "Write the SQL to standard output; connect to nothing");
    return app;
  }

  Exit run(Session& session) override {
    const Database database = session.database(Access::create);
    if (print_) {
      session.out.write(schema_sql(database.queue.dialect()));
      return Exit::done;
    }
    const std::unique_ptr<Connection> connection = database.connect();
    const Installed installed = install(*connection, database);
    if (session.json) {
      JsonLine line;
      line.text("database", database.shown)
          .number("from", installed.from)
          .number("to", installed.to);
      session.out.line(line.str());
    } else if (installed.from == installed.to) {
      session.out.line(fmt::format("already at version {}: {}", installed.to, database.shown));
    } else {
      session.out.line(fmt::format("{} version {}: {}",
                                   installed.from == 0 ? "installed" : "upgraded to", installed.to,
                                   database.shown));
    }
    return Exit::done;
  }

 private:
  bool print_ = false;
};

}  // namespace

std::unique_ptr<Command> make_init() { return std::make_unique<Init>(); }

}  // namespace tq::cli
