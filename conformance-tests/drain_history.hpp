// What the child processes that drain a queue leave behind, and what must hold of it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "backend.hpp"

namespace tq::conformance {

/// The tables that the children write to.
void make_drain_tables(RawConnection& raw, const Place& place, const Texts& texts);

class DrainHistory {
 public:
  DrainHistory(RawConnection& raw, const Place& place);

  void expect_each_once(std::size_t jobs) const;
  /// Each group: start and end of the first job, start and end of the second, ...
  void expect_groups(const std::map<std::string, std::vector<std::string>>& expected) const;
  /// The same without knowing the jobs: what was started ended before the next was started.
  void expect_no_overlap() const;

 private:
  struct Event {
    std::string job_id;
    std::string event;
  };
  std::map<std::string, int> starts_;
  std::map<std::string, std::vector<Event>> groups_;
};

struct MixedLoad {
  std::size_t jobs = 0;        ///< to be drained by four processes
  std::size_t produced = 0;    ///< meanwhile, in snapshots, by a fifth, in groups
  std::size_t collisions = 0;  ///< keys that a sixth is refused in open transactions
};

/// Four processes drain, a fifth enqueues under a snapshot isolation, a sixth is refused
/// duplicates: each job runs once, groups in order, and no error reaches anybody but what the
/// engine declares. Prints how many transactions were repeated, and why.
void expect_mixed_load_survived(const Server& server, const Place& place, const MixedLoad& load);

/// Enqueues `jobs` jobs through the server's own driver; a process for each driver of the dialect
/// that was built drains them: each job runs once. Gives how many each pair's process did, and
/// prints it. A URL with parameters, which other drivers may not know, has the pair's own alone.
std::map<std::string, std::int64_t> expect_drained_by_every_driver(const Server& server,
                                                                   const Place& place,
                                                                   std::size_t jobs);

}  // namespace tq::conformance
