#include <libpq-fe.h>
#include <poll.h>

#include <chrono>
#include <stdexcept>
#include <unordered_map>

#include "client.hpp"

namespace tq::bench {
namespace {

struct Finish {
  void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};
struct Clear {
  void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, Clear>;

// Values in libpq's form.
class Bound {
 public:
  explicit Bound(std::span<const Argument> arguments) {
    texts_.reserve(arguments.size());
    for (const auto& argument : arguments) {
      if (const auto* number = std::get_if<std::int64_t>(&argument)) {
        texts_.push_back(std::to_string(*number));
        values_.push_back(texts_.back().c_str());
      } else if (const auto* text = std::get_if<std::string_view>(&argument)) {
        texts_.emplace_back(*text);
        values_.push_back(texts_.back().c_str());
      } else {
        values_.push_back(nullptr);
      }
    }
  }
  [[nodiscard]] int count() const { return static_cast<int>(values_.size()); }
  [[nodiscard]] const char* const* values() const { return values_.data(); }

 private:
  std::vector<std::string> texts_;
  std::vector<const char*> values_;
};

class Postgresql final : public Client {
 public:
  explicit Postgresql(const std::string& url) : url_(url), connection_(PQconnectdb(url.c_str())) {
    if (PQstatus(connection_.get()) != CONNECTION_OK) fail();
  }

  std::vector<Row> run(const Statement& statement, std::span<const Argument> arguments) override {
    const auto& name = prepared(statement);
    const Bound bound{arguments};
    return rows(Result{PQexecPrepared(connection_.get(), name.c_str(), bound.count(),
                                      bound.values(), nullptr, nullptr, 0)});
  }
  void execute(const std::string& text) override {
    rows(Result{PQexec(connection_.get(), text.c_str())});
  }

  // Everything in one flight; a sync ends each transaction.
  std::vector<std::vector<Row>> transactions(std::span<const std::vector<Call>> groups,
                                             const std::string& begin) override {
    for (const auto& calls : groups) {
      for (const auto& call : calls) prepared(call.statement);
    }
    PQenterPipelineMode(connection_.get());
    for (const auto& calls : groups) send(calls, begin);
    std::vector<std::vector<Row>> answers;
    for (const auto& calls : groups) read(calls, answers);
    if (PQexitPipelineMode(connection_.get()) != 1) fail();
    return answers;
  }

  // NOTIFY here, to a connection that waits for it.
  double round_trip() override {
    if (!listener_) {
      listener_ = std::make_unique<Postgresql>(url_);
      listener_->execute("LISTEN tqb_round_trip");
    }
    const auto begin = std::chrono::steady_clock::now();
    execute("NOTIFY tqb_round_trip");
    PGconn* const connection = listener_->connection_.get();
    for (;;) {
      if (PQconsumeInput(connection) == 0) listener_->fail();
      if (PGnotify* notified = PQnotifies(connection)) {
        PQfreemem(notified);
        break;
      }
      pollfd socket{.fd = PQsocket(connection), .events = POLLIN, .revents = 0};
      ::poll(&socket, 1, -1);
    }
    const auto end = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::micro>(end - begin).count();
  }

 private:
  void send(const std::vector<Call>& calls, const std::string& begin) {
    if (calls.size() > 1) send(begin);
    for (const auto& call : calls) {
      const Bound bound{call.arguments};
      PQsendQueryPrepared(connection_.get(), prepared(call.statement).c_str(), bound.count(),
                          bound.values(), nullptr, nullptr, 0);
    }
    if (calls.size() > 1) send("COMMIT");
    PQpipelineSync(connection_.get());
  }
  void send(const std::string& text) {
    PQsendQueryParams(connection_.get(), text.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0);
  }
  void read(const std::vector<Call>& calls, std::vector<std::vector<Row>>& answers) {
    if (calls.size() > 1) next();
    for (const auto& call : calls) {
      auto rows = next();
      if (!call.statement.columns().empty()) answers.push_back(std::move(rows));
    }
    if (calls.size() > 1) next();
    const Result sync{PQgetResult(connection_.get())};
  }
  std::vector<Row> next() {
    auto answer = rows(Result{PQgetResult(connection_.get())});
    const Result end{PQgetResult(connection_.get())};
    return answer;
  }

  const std::string& prepared(const Statement& statement) {
    const auto found = names_.find(statement.id());
    if (found != names_.end()) return found->second;
    const auto name = "s" + std::to_string(statement.id());
    std::vector<Oid> types;
    for (const auto& parameter : statement.parameters()) {
      constexpr Oid bigint = 20;
      constexpr Oid text = 25;
      types.push_back(parameter.type == Type::int64 ? bigint : text);
    }
    rows(Result{PQprepare(connection_.get(), name.c_str(),
                          statement.render(Placeholders::dollar).text.c_str(),
                          static_cast<int>(types.size()), types.data())});
    return names_.emplace(statement.id(), name).first->second;
  }

  std::vector<Row> rows(const Result& result) {
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) fail();
    const int count = PQntuples(result.get());
    const int columns = PQnfields(result.get());
    std::vector<Row> all(static_cast<std::size_t>(count));
    for (int r = 0; r < count; ++r) {
      auto& row = all[static_cast<std::size_t>(r)];
      row.reserve(static_cast<std::size_t>(columns));
      for (int c = 0; c < columns; ++c) {
        row.emplace_back(PQgetvalue(result.get(), r, c),
                         static_cast<std::size_t>(PQgetlength(result.get(), r, c)));
      }
    }
    return all;
  }

  [[noreturn]] void fail() const { throw std::runtime_error{PQerrorMessage(connection_.get())}; }

  std::string url_;
  std::unique_ptr<PGconn, Finish> connection_;
  std::unique_ptr<Postgresql> listener_;
  std::unordered_map<std::uint64_t, std::string> names_;
};

}  // namespace

std::unique_ptr<Client> postgresql_client(const std::string& url) {
  return std::make_unique<Postgresql>(url);
}

}  // namespace tq::bench
