// Runs the tests in a process of their own, so that whatever becomes of it, somebody cleans up.
#pragma once

#include <functional>

namespace tq::conformance {

/// Runs `tests` in a forked process and waits for it. If it crashes, or this process is interrupted
/// (SIGINT, SIGTERM, SIGHUP), it is ended with all that it started. Then the places that it left
/// are removed. Gives the exit code: that of `tests`; 128 and the signal's number; 1 for a crash,
/// or if something stays behind. No thread may run yet.
int supervise(const std::function<int()>& tests);

}  // namespace tq::conformance
