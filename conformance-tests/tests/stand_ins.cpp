// The report's own promise: an engine without a server is never shown as one that passed.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "junit.hpp"
#include "report.hpp"
#include "stand_in.hpp"
#include "stand_ins_text.hpp"

namespace tq::conformance {
namespace {

const std::string head = "# stand-in: Imitation 1.2\n# date: 2026-01-31\n# driver: FreeTDS\n";

std::vector<Clause> three_clauses() {
  return {{.id = "CLM-1", .promised = true, .title = "one"},
          {.id = "CLM-2", .promised = true, .title = "two"},
          {.id = "MOV-1", .promised = false, .title = "planned"}};
}

// What parse_stand_in() says against `text`.
std::string objection(const std::string& text) {
  try {
    (void)parse_stand_in(text, three_clauses());
    return "none";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

std::string lines_for(const std::string& verdict) {
  std::string text;
  for (const auto& clause : all_clauses())
    text += clause.id + "\t" + verdict + "\tbecause of <it>\n";
  return text;
}

Absent imitated(const std::string& verdict) {
  return {.engine = "sqlserver",
          .stand_in = parse_stand_in(head + lines_for(verdict), all_clauses())};
}

Instances one_server() {
  Instances instances;
  auto& instance = instances["odbc_sqlite_3"];
  instance.pair = "odbc_sqlite";
  instance.version = "sqlite 3";
  for (const auto& clause : all_clauses()) instance.cells[clause.id].passed = 1;
  return instances;
}

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream{file}.rdbuf();
  return text.str();
}

class Folder {
 public:
  Folder() {
    auto name = (std::filesystem::temp_directory_path() / "tqc_XXXXXX").string();
    path = ::mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

TEST(SuiteItself, CommittedStandInsSayOfEachClauseWhatWasShown) {
  for (const auto& [engine, text] : stand_in_texts) {
    if (text.empty()) continue;
    EXPECT_NO_THROW((void)parse_stand_in(text, all_clauses())) << engine;
  }
  EXPECT_EQ(absent_from({}).size(), stand_in_texts.size());
}

TEST(SuiteItself, StandInIsReadWithItsReasons) {
  const auto read = parse_stand_in(
      head + "# a remark\n\nCLM-1\tright\t\nCLM-2\tno-evidence\tno locks\n", three_clauses());
  EXPECT_EQ(read.name, "Imitation 1.2");
  EXPECT_EQ(read.date, "2026-01-31");
  EXPECT_EQ(read.driver, "FreeTDS");
  EXPECT_EQ(read.clauses.at("CLM-1").verdict, "right");
  EXPECT_EQ(read.clauses.at("CLM-2").reason, "no locks");
}

TEST(SuiteItself, StandInThatIsNotInOrderIsRefused) {
  const std::string good = "CLM-1\tright\t\nCLM-2\tfailed\tit waits\n";
  EXPECT_EQ(objection(head + good), "none");
  EXPECT_EQ(objection(head + good + "MOV-1\tnot-runnable\tplanned\n"), "none");
  EXPECT_EQ(objection(head + good + "CLM-3\tright\t\n"), "line 6: no such clause: CLM-3\tright\t");
  EXPECT_EQ(objection(head + good + "CLM-1\tright\t\n"), "line 6: said twice: CLM-1\tright\t");
  EXPECT_EQ(objection(head + "CLM-1\tpass\t\n"), "line 4: no such verdict: CLM-1\tpass\t");
  EXPECT_EQ(objection(head + "CLM-1 right\n"), "line 4: no such clause: CLM-1 right");
  EXPECT_EQ(objection(head + "CLM-1\tfailed\n"), "line 4: a reason is missing: CLM-1\tfailed");
  EXPECT_EQ(objection(head + "CLM-1\tpartly\n"), "line 4: a reason is missing: CLM-1\tpartly");
  EXPECT_NE(objection(head + "CLM-1\tright\t\n").find("nothing is said of CLM-2"),
            std::string::npos);
  EXPECT_NE(objection(head + "# date: 2026\n" + good).find("said twice"), std::string::npos);
  for (const auto* line : {"# stand-in: Imitation 1.2\n", "# date: 2026-01-31\n"}) {
    auto without = head;
    without.erase(without.find(line), std::string_view{line}.size());
    EXPECT_NE(objection(without + good).find("a head line is missing"), std::string::npos) << line;
  }
}

TEST(SuiteItself, EngineIsAbsentUntilAServerOfItIsTested) {
  auto instances = one_server();
  EXPECT_EQ(absent_from(instances).size(), 2U);
  instances["odbc_sqlserver_16_rcsi"].pair = "odbc_sqlserver";
  const auto absent = absent_from(instances);
  ASSERT_EQ(absent.size(), 1U);
  EXPECT_EQ(absent.front().engine, "oracle");
}

TEST(SuiteItself, AbsentEngineIsPrintedAsNotRun) {
  const std::map<std::string, std::string> words{{"right", "right"},
                                                 {"partly", "right in part"},
                                                 {"no-evidence", "no evidence"},
                                                 {"failed", "failed"},
                                                 {"not-runnable", "not runnable"}};
  for (const auto& [verdict, spoken] : words) {
    std::ostringstream alone;
    print_table(alone, {.instances = one_server()});
    std::ostringstream out;
    print_table(out,
                {.instances = one_server(), .absent = {imitated(verdict), {.engine = "oracle"}}});
    const auto all = std::to_string(all_clauses().size());
    EXPECT_NE(out.str().find("2  sqlserver      not run here; Imitation 1.2 (2026-01-31, by "
                             "FreeTDS): " +
                             all + " " + spoken + "\n"),
              std::string::npos)
        << out.str();
    EXPECT_NE(out.str().find("3  oracle         not run here; no stand-in either\n"),
              std::string::npos)
        << out.str();
    EXPECT_NE(out.str().find("CLM-1    pass     not run; " + spoken + "  not run here  Two"),
              std::string::npos)
        << out.str();
    EXPECT_NE(out.str().find("not run here: sqlserver, oracle\n"), std::string::npos);
    // What passed is counted as before.
    const auto counted = [&](const std::string& text) {
      return text.substr(text.rfind(all + " pass"), all.size() + 6);
    };
    EXPECT_EQ(counted(out.str()), counted(alone.str()));
  }
}

TEST(SuiteItself, AbsentEngineIsWrittenAsNotRun) {
  const Folder folder;
  const auto problems = write_report(
      folder.path,
      {.instances = one_server(), .absent = {imitated("no-evidence"), {.engine = "oracle"}}}, {});
  EXPECT_TRUE(problems.empty());
  const auto markdown = text_of(folder.path / "report.md");
  EXPECT_NE(markdown.find("| pass | not run here; Imitation 1.2: no evidence | not run here |"),
            std::string::npos)
      << markdown;
  EXPECT_NE(markdown.find("- CLM-1, `sqlserver`, not run here; Imitation 1.2: no evidence: "
                          "because of <it>\n"),
            std::string::npos)
      << markdown;
  const auto json = nlohmann::json::parse(text_of(folder.path / "report.json"));
  for (const auto* engine : {"sqlserver", "oracle"}) {
    for (const auto& clause : json.at(engine).at("clauses")) {
      EXPECT_EQ(clause.at("status"), "not run here") << engine;
    }
  }
  EXPECT_EQ(json.at("sqlserver").at("stand_in").at("name"), "Imitation 1.2");
  EXPECT_EQ(json.at("sqlserver").at("clauses").at("CLM-1").at("stand_in").at("verdict"),
            "no-evidence");
  EXPECT_FALSE(json.at("oracle").contains("stand_in"));
}

TEST(SuiteItself, ReasonIsWrittenBesideEachVerdictThatHasOne) {
  for (const auto* verdict : {"right", "partly", "no-evidence", "failed", "not-runnable"}) {
    auto absent = imitated(verdict);
    absent.stand_in->clauses.at("CLM-2").reason.clear();
    const Folder folder;
    const auto problems =
        write_report(folder.path, {.instances = one_server(), .absent = {absent}}, {});
    EXPECT_TRUE(problems.empty());
    const auto markdown = text_of(folder.path / "report.md");
    EXPECT_NE(
        markdown.find(": because of <it>\n- CLM-3, `sqlserver`, not run here; Imitation 1.2: "),
        std::string::npos)
        << markdown;
    EXPECT_EQ(markdown.find("- CLM-2, `sqlserver`"), std::string::npos) << markdown;
  }
}

TEST(SuiteItself, AbsentEngineIsSkippedForJUnit) {
  const Folder folder;
  const auto file = folder.path / "report.xml";
  std::ofstream{file} << "<?xml version=\"1.0\"?>\n<testsuites tests=\"3\" failures=\"0\">\n"
                         "</testsuites>\n";
  add_skipped(file, {imitated("right"), {.engine = "oracle"}});
  const auto text = text_of(file);
  const auto count = std::to_string(all_clauses().size());
  EXPECT_NE(text.find("<testsuites tests=\"" + std::to_string(3 + 2 * all_clauses().size()) + "\""),
            std::string::npos)
      << text;
  for (const std::string engine : {"sqlserver", "oracle"}) {
    EXPECT_NE(text.find("<testsuite name=\"" + engine + "\" tests=\"" + count +
                        "\" failures=\"0\" disabled=\"0\" skipped=\"" + count + "\""),
              std::string::npos)
        << text;
  }
  EXPECT_NE(
      text.find("<skipped message=\"not run here; Imitation 1.2: right: because of &lt;it>\"/>"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("<skipped message=\"not run here\"/>"), std::string::npos) << text;
  std::ofstream{file} << "something else";
  EXPECT_THROW(add_skipped(file, {}), std::runtime_error);
}

}  // namespace
}  // namespace tq::conformance
