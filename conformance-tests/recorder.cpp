// The half of the report that runs inside each test process.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "clauses.hpp"
#include "report.hpp"
#include "servers.hpp"

namespace tq::conformance {
namespace {

using Json = nlohmann::json;

std::string outcome_of(const ::testing::TestResult& result) {
  if (result.Failed()) return "failed";
  return result.Skipped() ? "skipped" : "passed";
}

class Recorder final : public ::testing::EmptyTestEventListener {
 public:
  explicit Recorder(std::filesystem::path file) : file_(std::move(file)) {}

  void OnTestEnd(const ::testing::TestInfo& info) override {
    if (info.value_param() == nullptr) return;  // A test of the suite itself.
    const std::string full = info.name();
    const auto slash = full.rfind('/');
    const auto& result = *info.result();
    Json test{{"suite", info.test_suite_name()},
              {"test", full.substr(0, slash)},
              {"instance", full.substr(slash + 1)},
              {"clauses", clauses_of(full)},
              {"outcome", outcome_of(result)},
              {"milliseconds", result.elapsed_time()},
              {"weaker", Json::object()}};
    for (int i = 0; i < result.test_property_count(); ++i) {
      constexpr std::string_view prefix = "weaker ";
      const std::string key = result.GetTestProperty(i).key();
      if (key.starts_with(prefix)) {
        test["weaker"][key.substr(prefix.size())] = result.GetTestProperty(i).value();
      }
    }
    tests_.push_back(std::move(test));
  }

  void OnTestProgramEnd(const ::testing::UnitTest& /*unit*/) override {
    Json instances = Json::array();
    for (const auto& server : servers()) {
      instances.push_back(
          {{"pair", server.pair}, {"instance", server.instance}, {"version", server.version}});
    }
    std::filesystem::create_directories(file_.parent_path());
    std::ofstream{file_} << Json{{"instances", instances}, {"tests", tests_}}.dump(1) << '\n';
  }

 private:
  std::filesystem::path file_;
  Json tests_ = Json::array();
};

}  // namespace

void record_to(const std::filesystem::path& file) {
  ::testing::UnitTest::GetInstance()->listeners().Append(
      std::make_unique<Recorder>(file).release());  // GoogleTest owns it.
}

}  // namespace tq::conformance
