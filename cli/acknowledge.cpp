#include "acknowledge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <span>
#include <thread>

#include "json.hpp"
#include "lines.hpp"
#include "options.hpp"
#include "tq/error.hpp"
#include "usage_error.hpp"

namespace tq::cli {
namespace {

constexpr std::size_t batch_size = 500;
constexpr int busy_rounds = 100;
constexpr std::chrono::milliseconds busy_pause{100};

std::int64_t parse_generation(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 1) {
    throw UsageError{fmt::format(
        "'{}' is not a generation; it is the whole number that tq claim printed with the job",
        text)};
  }
  return value;
}

std::vector<std::string_view> words(std::string_view line) {
  std::vector<std::string_view> result;
  while (true) {
    const std::size_t begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return result;
    const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
    result.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

void print_answer(Session& session, const Lease& lease, Finish outcome) {
  if (session.json) {
    JsonLine line;
    line.text("job_id", lease.job_id.text())
        .number("generation", lease.generation)
        .text("outcome", name(outcome));
    session.out.line(line.str());
  } else {
    session.out.line(fmt::format("{} {} {}", lease.job_id.text(), lease.generation, name(outcome)));
  }
}

Exit exit_of(Finish outcome) {
  switch (outcome) {
    case Finish::done:
    case Finish::already:
      return Exit::done;
    case Finish::lost:
    case Finish::gone:
      return Exit::lost;
    case Finish::busy:
      break;
  }
  return Exit::failed;
}

// Another transaction may hold a row, such as a handler that finishes its job by itself.
std::vector<Finish> finish_patiently(const Opened& opened, std::span<const Acknowledgement> batch) {
  std::vector<Finish> answers = opened.queue.finish(*opened.connection, batch);
  for (int round = 1; round < busy_rounds; ++round) {
    std::vector<Acknowledgement> again;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i] != Finish::busy) continue;
      again.push_back(batch[i]);
      places.push_back(i);
    }
    if (again.empty()) break;
    std::this_thread::sleep_for(busy_pause);
    const std::vector<Finish> later = opened.queue.finish(*opened.connection, again);
    for (std::size_t i = 0; i < places.size(); ++i) answers[places[i]] = later[i];
  }
  return answers;
}

}  // namespace

void Leases::describe(CLI::App& app) {
  add_text(app, "JOB_ID", job_,
           "The job's id as tq claim printed it; or - to read lines of `job_id generation` from "
           "standard input")
      ->required();
  add_text(app, "GENERATION", generation_, "The claim's generation as tq claim printed it");
  add_worker(app, worker_,
             "Name of the owner, as given to tq claim (default: TQ_WORKER, or user@host)");
}

std::vector<Lease> Leases::read() const {
  const std::string worker = worker_.empty() ? default_worker() : worker_;
  if (job_ != "-") {
    const JobId job = parse_id(job_);
    if (generation_.empty()) {
      throw UsageError{"the generation is missing; tq claim prints it with the job"};
    }
    return {{job, parse_generation(generation_), worker}};
  }
  if (!generation_.empty()) throw UsageError{"after - the generations are read from the lines"};
  std::vector<Lease> leases;
  LineReader reader{"-"};
  for_each_line(reader, [&](const std::string& line) {
    const std::vector<std::string_view> parts = words(line);
    if (parts.size() != 2) throw UsageError{"it must be `job_id generation`"};
    leases.push_back({parse_id(parts[0]), parse_generation(parts[1]), worker});
  });
  return leases;
}

Exit acknowledge(Session& session, const std::vector<Lease>& leases,
                 const std::function<Acknowledgement(const Lease&, const Queue&)>& word) {
  const Opened opened = open(session);
  std::vector<Acknowledgement> all;
  all.reserve(leases.size());
  for (const Lease& lease : leases) all.push_back(word(lease, opened.queue));
  Exit exit = Exit::done;
  for (std::size_t at = 0; at < all.size(); at += batch_size) {
    const auto batch = std::span{all}.subspan(at, std::min(batch_size, all.size() - at));
    const std::vector<Finish> answers = finish_patiently(opened, batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
      print_answer(session, batch[i].lease, answers[i]);
      exit = worse(exit, exit_of(answers[i]));
    }
  }
  return exit;
}

}  // namespace tq::cli
