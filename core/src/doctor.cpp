#include "tq/doctor.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "batch.hpp"
#include "plans.hpp"
#include "rolled_back.hpp"
#include "run.hpp"
#include "tq/error.hpp"
#include "tq/schema.hpp"

namespace tq {
namespace {

using namespace std::chrono_literals;

// A claim and its acknowledgement are about ten round trips.
constexpr Duration long_trip = 10ms;
// Machines that keep their clocks by NTP are much nearer to each other than this.
constexpr Duration large_difference = 1s;

// "0.02 ms", "3.20 s"
std::string shown(Duration duration) {
  const bool long_one = duration >= 1s;
  const auto hundredths = duration / (long_one ? Duration{10ms} : Duration{10});
  const auto rest = std::to_string(hundredths % 100);
  return std::to_string(hundredths / 100) + (rest.size() == 1 ? ".0" : ".") + rest +
         (long_one ? " s" : " ms");
}

Verdict parse_verdict(const std::string& word) {
  for (const auto verdict : {Verdict::ok, Verdict::advice, Verdict::problem}) {
    if (word == name(verdict)) return verdict;
  }
  throw Error{Errc::failed, "doctor: there is no verdict '" + word + "'"};
}

class Examination {
 public:
  Examination(Connection& connection, const Dialect& dialect)
      : connection_(connection), dialect_(dialect), joined_(joins(connection)) {}

  std::vector<Finding> findings() {
    part("clock", [this] { clock(); });
    for (const auto& step : dialect_.doctor.steps) {
      part("settings", [&] { ask(step); });
    }
    part("schema version", [this] { schema(); });
    if (joined_) {
      add({.subject = "plans", .found = "not checked in a transaction that is open already"});
      add({.subject = "write", .found = "not checked in a transaction that is open already"});
    } else {
      if (version_ == schema_version(dialect_)) part("plans", [this] { plans(); });
      part("write", [this] { write(); });
    }
    return std::move(findings_);
  }

 private:
  void add(Finding finding) { findings_.push_back(std::move(finding)); }

  // What one part cannot find out does not keep the others from being looked at.
  void part(const std::string& subject, const std::function<void()>& look) {
    try {
      look();
    } catch (const Error& error) {
      if (joined_ || error.code() == Errc::connection_lost) throw;
      add({.subject = subject, .verdict = Verdict::problem, .found = error.what()});
    }
  }

  // The shortest of a few: the first one prepares the statement.
  void clock() {
    constexpr int trips = 5;
    Duration shortest = Duration::max();
    Duration ahead{};
    for (int i = 0; i < trips; ++i) {
      const auto here = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
      const auto began = std::chrono::steady_clock::now();
      const auto there = from_micros(integer(run(connection_, dialect_.now, {})[0][0]));
      const auto trip =
          std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - began);
      if (trip >= shortest) continue;
      shortest = trip;
      ahead = there - (here + trip / 2);
    }
    round_trip(shortest);
    difference(ahead);
  }

  void round_trip(Duration trip) {
    Finding finding{.subject = "round trip", .found = shown(trip)};
    if (trip > long_trip) {
      finding.verdict = Verdict::advice;
      finding.advice = "run workers nearer to the database, or claim and enqueue in larger batches";
    }
    add(std::move(finding));
  }

  void difference(Duration ahead) {
    const auto apart = std::chrono::abs(ahead);
    Finding finding{.subject = "clock", .found = shown(apart)};
    finding.found += ahead < Duration{} ? " behind this machine's" : " ahead of this machine's";
    if (apart > large_difference) {
      finding.verdict = Verdict::advice;
      finding.advice =
          "no job minds, since the database's clock decides everything; but keep both by NTP, or "
          "times in logs and --run-at will not be what they seem";
    }
    add(std::move(finding));
  }

  // What some engines show, no statement can read: one step shows it, the next one judges it.
  void ask(const Statement& step) {
    const std::vector<Named> arguments{{"borrowed", std::int64_t{connection_.borrowed() ? 1 : 0}},
                                       {"picked", std::string_view{shown_}}};
    const auto rows = run(connection_, step, arguments);
    if (step.columns().front().name != "subject") {
      shown_ = to_json(rows, step.columns());
      return;
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto row = rows[i];
      add({.subject = text(row[0]),
           .verdict = parse_verdict(text(row[1])),
           .found = text(row[2]),
           .advice = null(row[3]) ? std::string{} : text(row[3])});
    }
  }

  void schema() {
    const int known = schema_version(dialect_);
    version_ = installed_version(connection_, dialect_);
    Finding finding{.subject = "schema version", .found = std::to_string(version_)};
    if (version_ != known) {
      finding.verdict = Verdict::problem;
      finding.found = version_ == 0
                          ? "the tables are not there"
                          : finding.found + "; this program needs " + std::to_string(known);
      finding.advice = version_ < known ? "run `tq init`" : "use a newer tq and library";
    }
    add(std::move(finding));
  }

  void plans() {
    std::ranges::move(examine_plans(connection_, dialect_), std::back_inserter(findings_));
  }

  // Extending no lease at all is a write that changes nothing.
  void write() {
    Finding finding{.subject = "write", .found = "a transaction can be begun"};
    try {
      const RolledBack transaction{connection_, dialect_};
      if (version_ > 0) {
        using namespace std::string_view_literals;
        const std::vector<Named> nothing{
            {"jobs", "[]"sv}, {"lease", std::int64_t{1}}, {"wait", std::int64_t{1}}};
        run(connection_, dialect_.extend, nothing);
        finding.found = "the job table can be written to";
      }
    } catch (const Error& error) {
      if (error.code() != Errc::denied) throw;
      finding.verdict = Verdict::advice;
      finding.advice = run_as_worker;
      finding.found = "not checked: " + std::string{error.what()};
    }
    add(std::move(finding));
  }

  Connection& connection_;
  const Dialect& dialect_;
  bool joined_;
  int version_ = 0;
  std::string shown_ = "[]";  // by the last step that did not answer
  std::vector<Finding> findings_;
};

}  // namespace

std::string_view name(Verdict verdict) noexcept {
  switch (verdict) {
    case Verdict::ok:
      return "ok";
    case Verdict::advice:
      return "advice";
    case Verdict::problem:
      break;
  }
  return "problem";
}

std::vector<Finding> examine(Connection& connection, const Dialect& dialect) {
  return Examination{connection, dialect}.findings();
}

}  // namespace tq
