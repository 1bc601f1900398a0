// tq-ceiling: the workloads of `tq bench` by the bare client libraries, as far as hands do them.
#include <CLI/CLI.hpp>
#include <iostream>

#include "bench_side.hpp"
#include "drivers/built_in.hpp"
#include "hands.hpp"
#include "tq/mysql.hpp"
#include "tq/postgresql.hpp"
#include "tq/sqlite.hpp"

namespace {

tq::cli::BuiltIn built_in() {
  return {.dialects = {{.name = "sqlite",
                        .default_driver = "sqlite3",
                        .drivers = {"sqlite3"},
                        .example = "sqlite:///jobs.db",
                        .make = &tq::sqlite,
                        .only_schema = "main"},
                       {.name = "postgresql",
                        .default_driver = "libpq",
                        .drivers = {"libpq"},
                        .example = "postgresql://user@host/database",
                        .make = &tq::postgresql},
                       {.name = "mysql",
                        .default_driver = "mysql",
                        .drivers = {"mysql"},
                        .example = "mysql://user@host/database",
                        .make = &tq::mysql}},
          .drivers = tq::cli::built_in_drivers()};
}

}  // namespace

int main(int count, char** arguments) try {
  const auto engines = built_in();
  tq::cli::Session session{engines};
  CLI::App app{"The workloads of `tq bench` by the bare client libraries", "tq-ceiling"};
  app.require_subcommand(1);
  const auto bench = tq::cli::make_bench(&tq::bench::ceiling_hands);
  CLI::App* command = bench->describe(app);
  command->add_option("--db", session.urls, "URL of the database")->required();
  command->add_flag("--json", session.json, "Write JSON, one object a line");
  CLI11_PARSE(app, count, arguments);
  const auto exit = bench->run(session);
  session.out.flush();
  return static_cast<int>(exit);
} catch (const std::exception& error) {
  std::cerr << "tq-ceiling: " << error.what() << '\n';
  return 1;
}
