// Moves the clock that this process's C++ code reads, as if the machine's clock were wrong.
#pragma once

#include "tq/time.hpp"

namespace tq::conformance {

/// From now on std::chrono::system_clock is `shift` ahead of the truth, in every thread. Steady
/// clocks and the engines' clocks are not changed, that of an engine inside this process neither:
/// such a one reads gettimeofday().
void shift_client_clock(Duration shift) noexcept;

/// Shifts the clock for as long as it lives.
class ClockShift {
 public:
  explicit ClockShift(Duration shift) noexcept { shift_client_clock(shift); }
  ClockShift(const ClockShift&) = delete;
  ClockShift& operator=(const ClockShift&) = delete;
  ~ClockShift() { shift_client_clock({}); }
};

}  // namespace tq::conformance
