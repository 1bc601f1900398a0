// Measures what operations cost in a place of their own that is filled by plain SQL.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "backend.hpp"
#include "tq/queue.hpp"

namespace tq::conformance {

/// What one operation cost, all of its statements together.
struct Examination {
  std::int64_t work = 0;
  std::size_t rows = 0;    ///< that the operation gave
  std::string plans;       ///< for people, when a test fails
  std::string objections;  ///< of the pair, statement by statement; empty: none
};

class Examiner {
 public:
  /// `place` must outlive it and have the tables.
  Examiner(const Server& server, const Place& place);

  // Fills the queue "q" with at least `n` jobs.
  void load(std::size_t n, const std::string& priority, const std::string& queue = "q") const;
  void load_finished(std::size_t n) const;
  /// Due in a day.
  void load_future(std::size_t n, const std::string& priority) const;
  /// `n` followers in each of some groups, `groups` in all, whose heads are due in a day.
  void load_blocked_group(std::size_t n, std::size_t groups) const;
  /// Claims as often as it takes until all groups are settled, giving everything back.
  void settle() const;

  // Measure, and leave everything as it was.
  [[nodiscard]] Examination claim(std::size_t n) const;
  [[nodiscard]] Examination reap() const;
  /// Of the succeeded jobs of "q".
  [[nodiscard]] Examination purge(Duration older_than) const;
  [[nodiscard]] Examination stats() const;
  [[nodiscard]] Examination finished(Duration span) const;

  [[nodiscard]] const Queue& queue() const { return queue_; }
  [[nodiscard]] RawConnection& raw() const { return *raw_; }

 private:
  // Inserts rows by `columns` and `values` (expressions over a row of a table of numbers).
  void insert(std::size_t n, const std::string& columns, const std::string& values) const;
  [[nodiscard]] Examination examine(const std::function<std::size_t(Connection&)>& body) const;

  const Server& server_;
  const Place& place_;
  Queue queue_;
  std::unique_ptr<RawConnection> raw_;
};

}  // namespace tq::conformance
