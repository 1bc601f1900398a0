#include "decode.hpp"

#include <array>

#include "tq/error.hpp"

namespace tq {
namespace {

std::optional<std::string> optional_text(const Value& value) {
  if (null(value)) return std::nullopt;
  return text(value);
}

std::optional<Timestamp> optional_time(const Value& value) {
  if (null(value)) return std::nullopt;
  return from_micros(integer(value));
}

[[noreturn]] void unknown(const std::string& what) {
  throw Error{Errc::failed, "the database answered '" + what +
                                "', which this library does not know: is the schema newer?"};
}

}  // namespace

JobId decode_id(const Value& value) {
  const auto id = JobId::parse(text(value));
  if (!id) unknown(text(value));
  return *id;
}

Job decode_claimed(std::span<const Value> row, const ClaimRequest& request) {
  return {.job_id = decode_id(row[0]),
          .generation = integer(row[6]),
          .queue = request.queue,
          .kind = text(row[1]),
          .payload = text(row[2]),
          .priority = static_cast<int>(integer(row[3])),
          .run_at = from_micros(integer(row[4])),
          .created_at = from_micros(integer(row[5])),
          .max_attempts = integer(row[7]),
          .lease_until = from_micros(integer(row[8])),
          .worker = request.worker,
          .unique_key = optional_text(row[9]),
          .group_key = optional_text(row[10])};
}

JobRow decode_row(std::span<const Value> row) {
  const auto state = parse_state(text(row[4]));
  if (!state) unknown(text(row[4]));
  return {.job_id = decode_id(row[0]),
          .queue = text(row[1]),
          .kind = text(row[2]),
          .payload = text(row[3]),
          .state = *state,
          .priority = static_cast<int>(integer(row[5])),
          .run_at = from_micros(integer(row[6])),
          .created_at = from_micros(integer(row[7])),
          .attempts = integer(row[8]),
          .max_attempts = integer(row[9]),
          .worker_id = optional_text(row[10]),
          .lease_until = optional_time(row[11]),
          .finished_at = optional_time(row[12]),
          .last_worker = optional_text(row[13]),
          .last_outcome = optional_text(row[14]),
          .last_error = optional_text(row[15]),
          .cancel_requested_at = optional_time(row[16]),
          .unique_key = optional_text(row[17]),
          .group_key = optional_text(row[18]),
          .origin = optional_text(row[19])};
}

JobFailure decode_failure(std::span<const Value> row) {
  return {.generation = integer(row[0]),
          .worker = text(row[1]),
          .failed_at = from_micros(integer(row[2])),
          // Where the empty text is null, that is what an empty one comes back as.
          .error = null(row[3]) ? std::string{} : text(row[3])};
}

QueueStats decode_stats(std::span<const Value> row) {
  return {.queue = text(row[0]),
          .paused = integer(row[1]) != 0,
          .ready = integer(row[2]),
          .due = integer(row[3]),
          .blocked = integer(row[4]),
          .retrying = integer(row[5]),
          .oldest_due = Duration{integer(row[6])},
          .running = integer(row[7]),
          .expired = integer(row[8]),
          .succeeded = integer(row[9]),
          .dead = integer(row[10]),
          .cancelled = integer(row[11]),
          .moved = integer(row[12])};
}

Finish decode_finish(const Value& outcome) {
  constexpr std::array all{Finish::done, Finish::already, Finish::lost, Finish::gone, Finish::busy};
  for (const auto finish : all) {
    if (name(finish) == text(outcome)) return finish;
  }
  unknown(text(outcome));
}

}  // namespace tq
