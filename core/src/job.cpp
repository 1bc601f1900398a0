#include "tq/job.hpp"

#include <array>

#include "tq/queue.hpp"

namespace tq {

std::string_view name(State state) noexcept {
  switch (state) {
    case State::ready:
      return "ready";
    case State::running:
      return "running";
    case State::succeeded:
      return "succeeded";
    case State::dead:
      return "dead";
    case State::cancelled:
      return "cancelled";
    case State::moved:
      return "moved";
  }
  return "unknown";
}

std::optional<State> parse_state(std::string_view text) noexcept {
  constexpr std::array states{State::ready, State::running,   State::succeeded,
                              State::dead,  State::cancelled, State::moved};
  for (const auto state : states) {
    if (name(state) == text) return state;
  }
  return std::nullopt;
}

bool final(State state) noexcept { return state != State::ready && state != State::running; }

std::string_view name(Finish finish) noexcept {
  switch (finish) {
    case Finish::done:
      return "done";
    case Finish::already:
      return "already";
    case Finish::lost:
      return "lost";
    case Finish::gone:
      return "gone";
    case Finish::busy:
      return "busy";
  }
  return "unknown";
}

std::string_view name(Verb verb) noexcept {
  switch (verb) {
    case Verb::completed:
      return "completed";
    case Verb::failed:
      return "failed";
    case Verb::snoozed:
      return "snoozed";
    case Verb::released:
      return "released";
    case Verb::cancelled:
      return "cancelled";
  }
  return "unknown";
}

std::string_view name(Cancelled outcome) noexcept {
  switch (outcome) {
    case Cancelled::cancelled:
      return "cancelled";
    case Cancelled::requested:
      return "requested";
    case Cancelled::finished:
      return "finished";
    case Cancelled::gone:
      return "gone";
  }
  return "unknown";
}

std::string_view name(Requeued::Outcome outcome) noexcept {
  switch (outcome) {
    case Requeued::Outcome::requeued:
      return "requeued";
    case Requeued::Outcome::not_dead:
      return "not_dead";
    case Requeued::Outcome::held:
      return "held";
    case Requeued::Outcome::gone:
      return "gone";
  }
  return "unknown";
}

}  // namespace tq
