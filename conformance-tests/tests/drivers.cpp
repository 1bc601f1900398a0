// Every driver of a dialect reads and writes the same jobs.
#include <numeric>

#include "drain_history.hpp"
#include "fixture.hpp"
#include "tq/schema.hpp"

namespace tq::conformance {
namespace {

class Drivers : public PairTest {};
INSTANTIATE_TEST_SUITE_P(, Drivers, ::testing::ValuesIn(servers()), instance_name);

TEST_P(Drivers, CLM_1_FIN_1_ProcessesThroughEachDriverDrainOneQueue) {
  constexpr std::size_t jobs = 600;
  const auto fresh = make_place(server());
  install_schema(*fresh->open(), fresh->dialect());
  const auto shares = expect_drained_by_every_driver(server(), *fresh, jobs);
  const auto sum = std::accumulate(shares.begin(), shares.end(), std::int64_t{0},
                                   [](auto all, const auto& one) { return all + one.second; });
  EXPECT_EQ(sum, static_cast<std::int64_t>(jobs));
}

}  // namespace
}  // namespace tq::conformance
