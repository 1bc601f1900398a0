#include "bulk_enqueue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <vector>

#include "json.hpp"
#include "lines.hpp"
#include "message.hpp"
#include "progress.hpp"
#include "tq/error.hpp"
#include "usage_error.hpp"
#include "watched_connection.hpp"

namespace tq::cli {
namespace {

struct Input {
  std::vector<NewJob> jobs;
  std::vector<std::size_t> lines;  // of each job
};

Input read(const std::string& file, const NewJob& defaults, Progress& progress) {
  Input input;
  LineReader reader{file};
  for_each_line(reader, [&](const std::string& line) {
    NewJob job = parse_job(line, defaults);
    if (job.queue.empty()) throw UsageError{"the queue is missing; write it or give -q QUEUE"};
    if (job.kind.empty()) throw UsageError{"the kind is missing; write it or give KIND"};
    input.jobs.push_back(std::move(job));
    input.lines.push_back(reader.number());
    progress.show(fmt::format("{} jobs read", input.jobs.size()), reader.bytes_read(),
                  reader.bytes_total());
  });
  return input;
}

// The core says "job 3 of 10: ..."; the third job may stand on the fifth line.
std::string naming_the_line(std::string_view message, const std::vector<std::size_t>& lines) {
  constexpr std::string_view begin = "job ";
  std::size_t job = 1;
  if (lines.size() > 1 && message.starts_with(begin)) {
    const auto [end, error] =
        std::from_chars(message.data() + begin.size(), message.data() + message.size(), job);
    const std::size_t colon = message.find(": ");
    if (error != std::errc{} || job < 1 || job > lines.size() || colon == std::string_view::npos) {
      return std::string{message};
    }
    message.remove_prefix(colon + 2);
  }
  return fmt::format("line {}: {}", lines[job - 1], message);
}

// Rows travel as JSON objects. Each names its job_id once: inside a payload the marks are escaped.
std::uint64_t rows_in(std::span<const Argument> arguments) {
  constexpr std::string_view mark = "\"job_id\":";
  std::uint64_t rows = 0;
  for (const Argument& argument : arguments) {
    const auto* text = std::get_if<std::string_view>(&argument);
    if (text == nullptr) continue;
    for (auto at = text->find(mark); at != text->npos; at = text->find(mark, at + 1)) ++rows;
  }
  return rows;
}

// How much of a long call is done can be seen from the statements that it sends. An operation of
// several steps sends the same rows several times; the first statement is the one to go by.
WatchedConnection watched(std::unique_ptr<Connection> connection, std::uint64_t total,
                          Progress& progress) {
  auto before = [first = std::uint64_t{0}, sent = std::uint64_t{0}, total, &progress](
                    const Statement& statement, std::span<const Argument> arguments) mutable {
    if (sent == 0) first = statement.id();
    if (statement.id() != first) return;
    progress.show(fmt::format("{} of {} jobs stored", std::min(sent, total), total), sent, total);
    sent += rows_in(arguments);
  };
  return WatchedConnection{std::move(connection), std::move(before)};
}

}  // namespace

void print_enqueued(Session& session, std::span<const Enqueued> answers) {
  for (const Enqueued& answer : answers) {
    JsonLine line;
    line.text("job_id", answer.job_id.text()).boolean("inserted", answer.inserted);
    session.out.line(session.json ? line.str() : answer.job_id.text());
  }
  const auto refused = std::ranges::count(answers, false, &Enqueued::inserted);
  if (refused > 0 && !session.json) {
    report(fmt::format("{} of {} not stored: a job with this unique key or id is there", refused,
                       answers.size()));
  }
}

Exit bulk_enqueue(Session& session, const std::string& file, const NewJob& defaults) {
  std::vector<Enqueued> answers;
  {
    // A wrong database is told before an hour of input is read, but not held open meanwhile.
    static_cast<void>(open(session));
    Progress progress;
    const Input input = read(file, defaults, progress);
    Opened opened = open(session);
    WatchedConnection connection =
        watched(std::move(opened.connection), input.jobs.size(), progress);
    try {
      answers = opened.queue.enqueue(connection, input.jobs);
    } catch (const Error& error) {
      if (error.code() != Errc::invalid_argument || input.lines.empty()) throw;
      throw UsageError{naming_the_line(error.what(), input.lines)};
    }
  }
  print_enqueued(session, answers);
  return Exit::done;
}

}  // namespace tq::cli
