// What the user typed, or the data that was given, cannot be used.
#pragma once

#include <stdexcept>

namespace tq::cli {

/// Ends a command with Exit::usage. The message says what is wrong and what would be right.
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace tq::cli
