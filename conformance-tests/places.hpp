// The places that tests make, and that nothing of them is left whatever becomes of the tests.
#pragma once

#include <memory>
#include <string>

#include "backend.hpp"

namespace tq::conformance {

struct RemovePlace {
  std::string pair = {};
  std::string url = {};

  void operator()(Place* place) const noexcept;
};

/// A place that is removed with its owner.
using OwnPlace = std::unique_ptr<Place, RemovePlace>;

/// A new place on that server, noted in the journal.
[[nodiscard]] OwnPlace make_place(const Server& server);

/// Begins the journal of places, which this process shares with those that it forks.
void begin_journal();

/// Removes what the journal holds and nobody has removed, and says to stderr what cannot be
/// removed, and how a person does it. Gives how many those are.
[[nodiscard]] int remove_leftovers();

}  // namespace tq::conformance
