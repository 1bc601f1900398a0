// Runs the tests of a driver that need a server, or says that none was named.
#include <gtest/gtest.h>

#include <iostream>

int main(int count, char** arguments) {
  testing::InitGoogleTest(&count, arguments);
  if (testing::UnitTest::GetInstance()->total_test_count() == 0) {
    std::cout << "no server to test on: name some in " TQ_SERVERS_VARIABLE << '\n';
    constexpr int skipped = 77;
    return skipped;
  }
  return RUN_ALL_TESTS();
}
