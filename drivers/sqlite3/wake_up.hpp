// Noticing that another connection, of this process or another, has committed.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "handles.hpp"
#include "tq/connection.hpp"

namespace tq::sqlite3_driver {

/// Polls PRAGMA data_version, which changes when another connection commits and costs a few
/// microseconds. https://www.sqlite.org/pragma.html#pragma_data_version
class SqliteWakeUp final : public WakeUp {
 public:
  /// `database` must outlive this object.
  SqliteWakeUp(sqlite3* database, std::string path) : database_(database), path_(std::move(path)) {}

  [[nodiscard]] std::vector<std::string> wait(Duration timeout) override;
  void interrupt() noexcept override;

 private:
  [[nodiscard]] bool changed();
  [[nodiscard]] bool interrupted_within(Duration pause);
  [[nodiscard]] Duration pause() const;

  sqlite3* database_;
  std::string path_;
  Prepared prepared_;
  std::optional<int> seen_;
  Duration quiet_{};  // how long nothing has changed
  std::mutex mutex_;
  std::condition_variable called_;
  bool interrupted_ = false;
};

}  // namespace tq::sqlite3_driver
