// What SqliteConnection::open() was asked for.
#pragma once

#include <chrono>
#include <string>

namespace tq::sqlite3_driver {

struct OpenOptions {
  std::string path;  ///< a file, or ":memory:"
  std::chrono::milliseconds busy_timeout{5000};
  std::string synchronous = "full";
  std::string journal_mode = "wal";
  bool journal_mode_named = false;  ///< by the URL, so not getting it is an error
  enum class Mode { read, write, create } mode = Mode::create;
};

/// Reads a path or a `sqlite://` URL. Throws Errc::invalid_argument naming what it refuses.
[[nodiscard]] OpenOptions parse_url(const std::string& url);

}  // namespace tq::sqlite3_driver
