#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "json.hpp"
#include "options.hpp"
#include "tq/schema.hpp"

namespace tq::cli {
namespace {

class Engines final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    return add_command(tq, "engines", "List the dialects and drivers built in", group::look,
                       "  tq engines\n"
                       "  tq engines --json");
  }

  Exit run(Session& session) override {
    Table table{{{"DIALECT"},
                 {"SCHEMA VERSION", Table::Align::right},
                 {"DRIVER"},
                 {"CLIENT LIBRARY"},
                 {"URL"}}};
    for (const DialectEntry& dialect : session.built_in.dialects) {
      const int version = schema_version(dialect.make({}));
      for (const DriverEntry& driver : session.built_in.drivers) {
        if (std::ranges::count(dialect.drivers, driver.name) == 0) continue;
        const bool usual = dialect.default_driver == driver.name;
        const std::string url =
            usual ? dialect.example : fmt::format("{}+{}://...", dialect.name, driver.name);
        JsonLine line;
        line.text("dialect", dialect.name)
            .number("schema_version", version)
            .text("driver", driver.name)
            .text("client_library", driver.version)
            .boolean("default_driver", usual)
            .text("url", url);
        if (session.json) session.out.line(line.str());
        table.row({dialect.name, std::to_string(version), driver.name, driver.version, url});
      }
    }
    if (!session.json) table.print(session.out);
    return Exit::done;
  }
};

}  // namespace

std::unique_ptr<Command> make_engines() { return std::make_unique<Engines>(); }

}  // namespace tq::cli
