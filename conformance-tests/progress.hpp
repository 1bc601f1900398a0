// GoogleTest's progress, a line a suite; failures in full.
#pragma once

namespace tq::conformance {

/// Puts it into the place of GoogleTest's own printer, which says two lines a test.
void print_progress_by_suite();

}  // namespace tq::conformance
