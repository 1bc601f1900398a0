#include "hands.hpp"

#include <algorithm>
#include <stdexcept>

#include "parts.hpp"
#include "tq/error.hpp"

namespace tq::bench {
namespace {

using Row = Client::Row;
using Rows = std::vector<Row>;

constexpr std::int64_t lease = 60'000'000;

// Arguments by the names that the statements of all dialects use.
struct Given {
  std::string_view jobs = {};
  std::string_view picked = {};
  std::int64_t n = 0;
  std::int64_t priority = 0;
  std::int64_t wait = 0;

  [[nodiscard]] std::vector<Argument> of(const Statement& statement) const {
    std::vector<Argument> arguments;
    for (const auto& parameter : statement.parameters()) arguments.push_back(of(parameter.name));
    return arguments;
  }

 private:
  [[nodiscard]] Argument of(std::string_view name) const {
    if (name == "queue") return std::string_view{queue_name};
    if (name == "worker") return std::string_view{"bench"};
    if (name == "lease") return lease;
    if (name == "jobs") return jobs;
    if (name == "picked") return picked;
    if (name == "n") return n;
    if (name == "priority") return priority;
    if (name == "wait") return wait;
    if (name == "created_at") return std::monostate{};
    throw std::runtime_error{"no argument for :" + std::string{name}};
  }
};

bool takes_picked(const Statement& statement) {
  return std::ranges::count(statement.parameters(), "picked", &Field::name) > 0;
}

std::string quoted(const Field& column, const std::string& value) {
  if (value.empty()) return "null";
  return column.type == Type::int64 ? value : '"' + value + '"';
}

// What a step hands to the next one. The names here need no escapes, and payloads are left out.
std::string picked_json(const Rows& rows, std::span<const Field> columns) {
  std::string json = "[";
  for (const auto& row : rows) {
    json += json.size() == 1 ? "{" : ",{";
    bool first = true;
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (columns[c].name == "payload") continue;
      json += (first ? "\"" : ",\"") + columns[c].name + "\":" + quoted(columns[c], row[c]);
      first = false;
    }
    json += '}';
  }
  return json + "]";
}

class CeilingHands final : public Hands {
 public:
  CeilingHands(const Dialect& dialect, std::unique_ptr<Client> client, const Size& size)
      : dialect_(dialect), client_(std::move(client)), payload_(new_job(size).payload) {
    for (const auto& setting : dialect.session) client_->execute(setting);
  }

  void enqueue(std::size_t jobs) override {
    std::string json = "[";
    for (std::size_t i = 0; i < jobs; ++i) {
      json += (i == 0 ? R"({"ord":)" : R"(,{"ord":)") + std::to_string(i) + R"(,"job_id":")" +
              JobId::generate().text() + R"(","queue":"bench","kind":"noop","payload":"\")" +
              payload_.substr(1, payload_.size() - 2) +
              R"(\"","priority":0,"delay":0,"run_at":null,"max_attempts":3,"unique_key":null,)" +
              R"("group_key":null})";
    }
    json += "]";
    in_transaction(dialect_.enqueue, {.jobs = json});
  }

  std::size_t claim(std::size_t limit) override {
    if (sends_at_once()) {
      const Given given{.n = static_cast<std::int64_t>(limit)};
      return hold(at_once({&dialect_.claim.pick}, given));
    }
    settle();
    client_->execute(dialect_.transaction.begin);
    auto rows = pick_in_open(limit);
    client_->execute("COMMIT");
    return hold(std::move(rows));
  }

  double round_trip() override { return client_->round_trip(); }

  // As the library does: one is waited for, and of several those that somebody holds are asked
  // again, with the others, which are answered "already".
  std::size_t complete() override {
    const auto json = held_json();
    const Given given{.jobs = json, .wait = held_.size() == 1 ? 1 : 0};
    std::size_t accepted = 0;
    for (bool busy = true; busy;) {
      const auto rows = finish(given);
      accepted += count(rows, "done");
      busy = count(rows, "busy") > 0;
    }
    return accepted;
  }

  Turn complete_and_claim(std::size_t limit) override {
    const auto json = held_json();
    const Given given{.jobs = json, .n = static_cast<std::int64_t>(limit)};
    std::vector<Rows> answers;
    if (sends_at_once()) {
      answers = at_once({&dialect_.finish, &dialect_.claim.pick}, given);
    } else {
      settle();
      client_->execute(dialect_.transaction.begin);
      answers.push_back(in_open(dialect_.finish, given));
      answers.push_back(pick_in_open(limit));
      client_->execute("COMMIT");
    }
    Turn turn{.accepted = count(answers.front(), "done")};
    if (count(answers.front(), "busy") > 0) turn.accepted += complete();
    turn.claimed = hold(std::move(answers.back()));
    return turn;
  }

 private:
  struct Held {
    std::string id;
    std::string generation;
  };

  static std::size_t count(const Rows& rows, std::string_view outcome) {
    return static_cast<std::size_t>(
        std::ranges::count_if(rows, [&](const Row& row) { return row[1] == outcome; }));
  }

  std::size_t hold(Rows rows) {
    held_.clear();
    for (auto& row : rows) held_.push_back({std::move(row[0]), std::move(row[6])});
    return held_.size();
  }
  std::size_t hold(std::vector<Rows> answers) { return hold(std::move(answers.back())); }

  [[nodiscard]] std::string held_json() const {
    std::string json = "[";
    for (std::size_t i = 0; i < held_.size(); ++i) {
      json += (i == 0 ? R"({"ord":)" : R"(,{"ord":)") + std::to_string(i) + R"(,"job_id":")" +
              held_[i].id + R"(","generation":)" + held_[i].generation +
              R"(,"worker":"bench","verb":"completed"})";
    }
    return json + "]";
  }

  // No job here fails or has a group.
  static bool needed(const Statement& step, const Given& given) {
    return step.when() == When::always || (step.when() == When::waiting && given.wait == 1);
  }

  [[nodiscard]] bool sends_at_once() const {
    const auto& claim = dialect_.claim;
    return !claim.probe && !claim.mark && std::ranges::none_of(dialect_.finish.steps, takes_picked);
  }

  // The settling in its own transaction, the operations in the next, sent together where the client
  // library can.
  std::vector<Rows> at_once(const std::vector<const Operation*>& operations, const Given& given) {
    Arguments arguments;
    std::vector<std::vector<Call>> groups;
    groups.push_back(arguments.calls(question_, given));
    std::vector<Call> calls;
    for (const auto* operation : operations) {
      std::ranges::move(arguments.calls(*operation, given), std::back_inserter(calls));
    }
    groups.push_back(std::move(calls));
    auto answers = client_->transactions(groups, dialect_.transaction.begin);
    if (!question_.steps.empty()) answers.erase(answers.begin());
    return answers;
  }

  // No job here has a group, so the question whether anything is to be settled is all there is to
  // it.
  [[nodiscard]] Operation question() const {
    const auto& steps = dialect_.claim.settle.steps;
    return {.steps = {steps.begin(), steps.begin() + (steps.empty() ? 0 : 1)}};
  }

  void settle() {
    for (const auto& step : question_.steps) run(step, {});
  }

  Rows pick_in_open(std::size_t limit) {
    Rows all;
    for (const auto& level : run(*dialect_.claim.probe, {})) {
      if (all.size() == limit) break;
      Given given{.n = static_cast<std::int64_t>(limit - all.size()),
                  .priority = std::stoll(level[0])};
      auto rows = in_open(dialect_.claim.pick, given);
      if (dialect_.claim.mark && !rows.empty()) {
        const auto json = picked_json(rows, dialect_.claim.pick.steps.back().columns());
        given.picked = json;
        run(*dialect_.claim.mark, given);
      }
      std::ranges::move(rows, std::back_inserter(all));
    }
    return all;
  }

  Rows finish(const Given& given) { return in_transaction(dialect_.finish, given); }

  Rows in_transaction(const Operation& operation, const Given& given) {
    const bool dependent = std::ranges::any_of(operation.steps, takes_picked);
    if (!dependent) {
      Arguments arguments;
      const std::vector<std::vector<Call>> groups{arguments.calls(operation, given)};
      auto answers = client_->transactions(groups, dialect_.transaction.begin);
      return answers.empty() ? Rows{} : std::move(answers.back());
    }
    client_->execute(dialect_.transaction.begin);
    auto rows = in_open(operation, given);
    client_->execute("COMMIT");
    return rows;
  }

  Rows in_open(const Operation& operation, Given given) {
    Rows answer;
    std::string json;
    for (const auto& step : operation.steps) {
      if (!needed(step, given) || (takes_picked(step) && answer.empty())) continue;
      if (takes_picked(step)) given.picked = json;
      auto rows = run(step, given);
      if (step.columns().empty()) continue;
      answer = std::move(rows);
      json = picked_json(answer, step.columns());
    }
    return answer;
  }

  Rows run(const Statement& statement, const Given& given) {
    return client_->run(statement, given.of(statement));
  }

  // Keeps what calls refer to.
  class Arguments {
   public:
    std::vector<Call> calls(const Operation& operation, const Given& given) {
      std::vector<Call> made;
      for (const auto& step : operation.steps) {
        if (!needed(step, given)) continue;
        kept_.push_back(std::make_unique<std::vector<Argument>>(given.of(step)));
        made.push_back({step, *kept_.back()});
      }
      return made;
    }

   private:
    std::vector<std::unique_ptr<std::vector<Argument>>> kept_;
  };

  const Dialect dialect_;
  const Operation question_ = question();
  std::unique_ptr<Client> client_;
  std::string payload_;
  std::vector<Held> held_;
};

}  // namespace

std::vector<std::vector<Client::Row>> Client::transactions(
    std::span<const std::vector<Call>> groups, const std::string& begin) {
  std::vector<std::vector<Row>> answers;
  for (const auto& calls : groups) {
    const bool several = calls.size() > 1;
    if (several) execute(begin);
    for (const auto& call : calls) {
      auto rows = run(call.statement, call.arguments);
      if (!call.statement.columns().empty()) answers.push_back(std::move(rows));
    }
    if (several) execute("COMMIT");
  }
  return answers;
}

double Client::round_trip() {
  throw Error{Errc::unsupported, "this engine has no way to tell another connection something"};
}

std::unique_ptr<Hands> ceiling_hands(const Dialect& dialect, const std::string& url,
                                     const Size& size) {
  std::unique_ptr<Client> client;
  if (dialect.name == "postgresql") client = postgresql_client(url);
  if (dialect.name == "mysql") client = mysql_client(url);
  if (dialect.name == "sqlite") client = sqlite_client(url);
  if (!client) throw std::runtime_error{"there is no ceiling for " + dialect.name};
  return std::make_unique<CeilingHands>(dialect, std::move(client), size);
}

}  // namespace tq::bench
