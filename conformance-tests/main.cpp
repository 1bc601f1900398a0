// tq-conformance: the contract's tests on every server that was named.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "child.hpp"
#include "junit.hpp"
#include "options.hpp"
#include "progress.hpp"
#include "report.hpp"
#include "supervisor.hpp"
#include "url.hpp"

namespace {

using namespace tq::conformance;

constexpr int wrong_usage = 2;
constexpr int nothing_to_test = 77;  // ctest shows it as skipped

Required required_of(const Options& options) {
  Required required{.pairs = listed("TQ_REQUIRE"), .versions = listed("TQ_REQUIRE_VERSIONS")};
  if (options.merge || options.picked()) return required;
  for (const auto& server : servers()) required.pairs.push_back(server.pair);
  return required;
}

int report(const Options& options) {
  const auto instances = read_parts(options.report / "parts");
  const Report report{.instances = instances, .absent = absent_from(instances)};
  const auto problems = write_report(options.report, report, required_of(options));
  if (!options.merge) add_skipped(options.report / "report.xml", report.absent);
  std::cout << '\n';
  print_table(std::cout, report);
  for (const auto& problem : problems) std::cout << "problem: " << problem << '\n';
  std::cout << "report: " << (options.report / "report.md").string() << '\n';
  return problems.empty() ? 0 : 1;
}

// Tells GoogleTest what was not left to its own options. Finds the servers, too.
void set_up_googletest(const Options& options) {
  if (!options.scale) GTEST_FLAG_SET(filter, "-Scale.*");
  if (options.part.empty()) {
    GTEST_FLAG_SET(output, "xml:" + (options.report / "report.xml").string());
  }
  std::string program = "tq-conformance";
  auto words = options.googletest;
  std::vector<char*> argv{program.data()};
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int argc = static_cast<int>(argv.size()) - 1;
  ::testing::InitGoogleTest(&argc, argv.data());
  if (!options.verbose && !GTEST_FLAG_GET(list_tests)) print_progress_by_suite();
}

void check_servers() {
  for (const auto& server : servers()) {
    pair_named(server.pair).check(server.url);
    std::cout << server.instance << ": " << server.version << ", " << tq::cli::redacted(server.url)
              << std::endl;
  }
}

int test(const Options& options) {
  set_up_googletest(options);
  if (servers().empty()) {
    std::cout << "No server of this pair is named by the environment; see --help.\n";
    const bool required = std::ranges::count(listed("TQ_REQUIRE"), options.choice.pair) > 0;
    return required ? 1 : nothing_to_test;
  }
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  check_servers();
  const bool whole = options.part.empty();
  if (whole) std::filesystem::remove_all(options.report / "parts");
  record_to(options.report / "parts" / ((whole ? "all" : options.part) + ".json"));
  const int code = RUN_ALL_TESTS();
  if (::testing::UnitTest::GetInstance()->test_to_run_count() == 0) {
    throw UsageError{"no test is picked by --gtest_filter=" + GTEST_FLAG_GET(filter)};
  }
  if (!whole) return code;
  return report(options) == 0 ? code : 1;
}

// `body`'s exit code, or that of its exception.
template <class Body>
int guarded(Body body) {
  try {
    const int code = body();
    std::cout.flush();
    if (std::cout && std::ferror(stdout) == 0) return code;
    std::cerr << "tq-conformance: standard output cannot be written\n";
    return code == 0 ? 1 : code;
  } catch (const std::exception& error) {
    std::cout.flush();
    std::cerr << "tq-conformance: " << without_passwords(error.what()) << '\n';
    return wrong_usage;
  }
}

int run(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "--child") {
    return run_child({words.begin() + 1, words.end()});
  }
  const auto options = parse(argc, argv);
  if (!options) return 0;
  if (options->clear) {
    std::filesystem::remove_all(options->report / "parts");
    return 0;
  }
  if (options->merge) return report(*options);
  choose(options->choice);
  std::filesystem::create_directories(options->report);
  return supervise([&] { return guarded([&] { return test(*options); }); });
}

}  // namespace

int main(int argc, char** argv) {
  return guarded([&] { return run(argc, argv); });
}
