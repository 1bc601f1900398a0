#include "clock_shift.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <ctime>

namespace {

std::atomic<std::int64_t> shift_seconds{0};

}  // namespace

// Stands in front of the C library's function of this name, for this program and for the C++
// library that it uses.
extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  const auto code = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  if (code == 0 && clock == CLOCK_REALTIME) time->tv_sec += shift_seconds.load();
  return code;
}

namespace tq::conformance {

void shift_client_clock(Duration shift) noexcept {
  shift_seconds = std::chrono::duration_cast<std::chrono::seconds>(shift).count();
}

}  // namespace tq::conformance
