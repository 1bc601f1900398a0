#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>

namespace tq::conformance {
namespace {

constexpr auto description =
    "Checks a server against the queue contract: every clause, in a schema of its own, which is\n"
    "removed afterwards.";

constexpr auto footer =
    "Examples:\n"
    "  tq-conformance --url postgresql://user@host/database\n"
    "  tq-conformance --url sqlite:////mnt/share --report /tmp/report\n"
    "  tq-conformance --url postgresql://host/db --gtest_filter='Claim.*'\n\n"
    "Options that begin with --gtest_ go to GoogleTest: --gtest_filter picks tests,\n"
    "--gtest_list_tests lists them.\n"
    "Environment: TQ_DATABASE_PASSWORD, the password for URLs without one;\n"
    "TQ_REQUIRE=PAIR,PAIR and TQ_REQUIRE_VERSIONS='postgresql 15,...': it is an error if those\n"
    "were not tested, or a clause on them.\n"
    "Exit codes: 0 every clause holds; 1 some test failed, or was skipped, or something is left\n"
    "behind; 2 wrong usage, no such server, or a right is missing; 77 no server was named.";

std::string pairs_and_schemes() {
  std::string text =
      "Pairs of a driver and a dialect, their URLs, and where they find servers "
      "without --url:\n";
  for (const auto& pair : all_pairs()) {
    text += "  " + pair.name + "  ";
    for (const auto& scheme : pair.schemes) text += scheme + ":// ";
    for (const auto& variable : pair.variables) text += " " + variable;
    if (!pair.fallback.empty()) text += " " + pair.fallback;
    text += '\n';
  }
  return text + '\n' + footer;
}

void describe(CLI::App& app, Options& options) {
  app.footer(pairs_and_schemes());
  app.set_version_flag("--version", "tq-conformance " TQ_VERSION);
  app.add_option("--url", options.choice.urls, "A server; may be given several times")
      ->allow_extra_args(false)
      ->type_name("URL");
  app.add_option("--pair", options.choice.pair, "Only this pair")->type_name("PAIR");
  app.add_option("--report", options.report,
                 "Where report.md, report.json and report.xml (JUnit) go (default: conformance)")
      ->type_name("FOLDER");
  app.add_flag("--verbose", options.verbose, "A line for each test, as GoogleTest has it");
  app.add_flag("--scale", options.scale, "With the tests of millions of rows, which take minutes");
  app.add_option("--part", options.part, "Write FOLDER/parts/NAME.json and no report")
      ->type_name("NAME")
      ->group("For ctest");
  app.add_flag("--merge", options.merge, "Run nothing; make the report of all parts")
      ->group("For ctest");
  app.add_flag("--clear", options.clear, "Run nothing; remove the parts of earlier runs")
      ->group("For ctest");
  app.allow_extras();
}

}  // namespace

bool Options::picked() const {
  return std::ranges::any_of(
      googletest, [](const std::string& option) { return option.starts_with("--gtest_filter"); });
}

std::optional<Options> parse(int argc, char** argv) {
  Options options;
  CLI::App app{description, "tq-conformance"};
  describe(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw UsageError{std::string{error.what()} + "; see --help"};
    app.exit(error);
    return std::nullopt;
  }
  options.googletest = app.remaining();
  for (const auto& word : options.googletest) {
    if (!word.starts_with("--gtest_")) throw UsageError{"unknown option " + word + "; see --help"};
  }
  return options;
}

}  // namespace tq::conformance
