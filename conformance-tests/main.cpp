// tq-conformance: the contract's tests on every server that the environment names.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>

#include "child.hpp"
#include "report.hpp"
#include "servers.hpp"

namespace {

using namespace tq::conformance;

constexpr int nothing_to_test = 77;  // ctest shows it as skipped

constexpr auto help =
    R"(usage: tq-conformance [--pair PAIR] [--report FOLDER] [--part NAME | --merge]
                      [GoogleTest options]

Runs the queue contract's tests and writes FOLDER/report.md and report.json (default:
conformance). TQ_TEST_<DIALECT>_URL names servers, several separated by blanks. TQ_REQUIRE=pair,pair
and TQ_REQUIRE_VERSIONS="engine 15,..." make it an error if those, or a clause on them, were not
tested.

  --pair PAIR      only this pair of a driver and a dialect
  --report FOLDER  where the report goes
  --part NAME      write FOLDER/parts/NAME.json and no report
  --merge          run nothing; make the report of all parts
  --clear          run nothing; remove the parts of earlier runs

Pairs:)";

struct Options {
  std::string pair;
  std::filesystem::path report = "conformance";
  std::string part;
  bool merge = false;
  bool clear = false;
  bool help = false;
};

Options parse(const std::vector<std::string>& words) {
  Options options;
  for (auto word = words.begin(); word != words.end(); ++word) {
    const auto value = [&] {
      if (word + 1 == words.end()) throw std::invalid_argument{*word + " needs a value"};
      return *++word;
    };
    if (*word == "--pair") {
      options.pair = value();
    } else if (*word == "--report") {
      options.report = value();
    } else if (*word == "--part") {
      options.part = value();
    } else if (*word == "--merge") {
      options.merge = true;
    } else if (*word == "--clear") {
      options.clear = true;
    } else if (*word == "--help") {
      options.help = true;
    } else if (!word->starts_with("--gtest_")) {
      throw std::invalid_argument{"unknown option " + *word + "; see --help"};
    }
  }
  return options;
}

int merge(const std::filesystem::path& folder) {
  const auto problems = merge_report(
      folder, {.pairs = listed("TQ_REQUIRE"), .versions = listed("TQ_REQUIRE_VERSIONS")});
  std::cout << "report: " << (folder / "report.md").string() << '\n';
  for (const auto& problem : problems) std::cout << "problem: " << problem << '\n';
  return problems.empty() ? 0 : 1;
}

int test(const Options& options) {
  if (servers().empty()) {
    std::cout << "No server of this pair is named by the environment; see --help.\n";
    const bool required = std::ranges::count(listed("TQ_REQUIRE"), options.pair) > 0;
    return required ? 1 : nothing_to_test;
  }
  const bool whole = options.part.empty();
  if (whole) std::filesystem::remove_all(options.report / "parts");
  record_to(options.report / "parts" / ((whole ? "all" : options.part) + ".json"));
  const int code = RUN_ALL_TESTS();
  if (!whole) return code;
  return merge(options.report) == 0 ? code : 1;
}

int run(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "--child") {
    return run_child({words.begin() + 1, words.end()});
  }
  const auto options = parse(words);
  if (options.help) {
    std::cout << help;
    for (const auto& pair : all_pairs()) std::cout << ' ' << pair.name;
    std::cout << '\n';
    return 0;
  }
  if (options.clear) {
    std::filesystem::remove_all(options.report / "parts");
    return 0;
  }
  if (options.merge) return merge(options.report);
  choose_pair(options.pair);
  ::testing::InitGoogleTest(&argc, argv);
  return test(options);
}

}  // namespace

int main(int argc, char** argv) try {
  return run(argc, argv);
} catch (const std::exception& error) {
  std::cerr << "tq-conformance: " << error.what() << '\n';
  return 2;
}
