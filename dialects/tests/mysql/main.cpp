#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "servers.hpp"

namespace tq {

std::vector<std::string> servers() {
  const char* const variable = std::getenv("TQ_TEST_MYSQL_URL");
  std::istringstream blanks{variable == nullptr ? "" : variable};
  std::vector<std::string> urls;
  for (std::string url; blanks >> url;) urls.push_back(url);
  return urls;
}

}  // namespace tq

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  constexpr int skipped = 77;
  if (tq::servers().empty()) return skipped;
  return RUN_ALL_TESTS();
}
