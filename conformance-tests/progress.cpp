#include "progress.hpp"

#include <gtest/gtest.h>

#include <iomanip>
#include <iostream>
#include <memory>
#include <string>

namespace tq::conformance {
namespace {

class Progress final : public ::testing::EmptyTestEventListener {
 public:
  void OnTestSuiteStart(const ::testing::TestSuite& suite) override { say_name(suite); }

  void OnTestStart(const ::testing::TestInfo& test) override {
    test_ = std::string{test.test_suite_name()} + "." + test.name();
  }

  // Holding its lock, GoogleTest cannot be asked for the test here.
  void OnTestPartResult(const ::testing::TestPartResult& result) override {
    if (result.passed()) return;
    if (!interrupted_) std::cout << '\n';
    interrupted_ = true;
    std::cout << (result.skipped() ? "skipped: " : "FAILED: ") << test_ << '\n';
    if (result.file_name() != nullptr) {
      std::cout << result.file_name() << ':' << result.line_number() << ": ";
    }
    std::cout << result.message() << std::endl;
  }

  void OnTestSuiteEnd(const ::testing::TestSuite& suite) override {
    if (interrupted_) say_name(suite);
    constexpr double milliseconds = 1000;
    std::cout << std::right << std::setw(4) << suite.test_to_run_count() << " tests" << std::setw(7)
              << std::fixed << std::setprecision(1)
              << static_cast<double>(suite.elapsed_time()) / milliseconds << " s";
    if (suite.failed_test_count() > 0) std::cout << ", " << suite.failed_test_count() << " FAILED";
    std::cout << std::endl;
  }

 private:
  // The line is finished at the suite's end, unless something had to be said meanwhile.
  void say_name(const ::testing::TestSuite& suite) {
    constexpr int width = 20;
    std::cout << std::left << std::setw(width) << suite.name() << std::flush;
    interrupted_ = false;
  }
  std::string test_;
  bool interrupted_ = false;
};

}  // namespace

void print_progress_by_suite() {
  auto& listeners = ::testing::UnitTest::GetInstance()->listeners();
  const std::unique_ptr<::testing::TestEventListener> loud{
      listeners.Release(listeners.default_result_printer())};
  listeners.Append(std::make_unique<Progress>().release());  // GoogleTest owns it.
}

}  // namespace tq::conformance
