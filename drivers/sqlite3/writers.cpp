#include "writers.hpp"

#include <map>

namespace tq::sqlite3_driver {

bool Writers::begin(const BusyWait& wait) {
  std::unique_lock lock{mutex_};
  if (!writing_) {
    writing_ = true;
    return true;
  }
  const auto mine = queue_.emplace(queue_.end());
  mine->called.wait_for(lock, wait.timeout(), [&] { return mine->turn || wait.stopped(); });
  const bool turn = mine->turn;
  queue_.erase(mine);
  return turn;
}

void Writers::wake() noexcept {
  const std::lock_guard lock{mutex_};
  for (auto& waiting : queue_) waiting.called.notify_one();
}

void Writers::end() noexcept {
  const std::lock_guard lock{mutex_};
  writing_ = !queue_.empty();
  if (!writing_) return;
  queue_.front().turn = true;
  queue_.front().called.notify_one();
}

std::shared_ptr<Writers> writers_of(const std::string& full_path) {
  if (full_path.empty()) return std::make_shared<Writers>();
  // The only state of the process: two connections to one file cannot find each other otherwise.
  static std::mutex mutex;
  static std::map<std::string, std::weak_ptr<Writers>> files;
  const std::lock_guard lock{mutex};
  std::erase_if(files, [](const auto& file) { return file.second.expired(); });
  auto& known = files[full_path];
  auto writers = known.lock();
  if (!writers) known = writers = std::make_shared<Writers>();
  return writers;
}

}  // namespace tq::sqlite3_driver
