#include "pipeline.hpp"

#include <optional>
#include <string_view>

#include "error.hpp"
#include "handles.hpp"
#include "values.hpp"

namespace tq::libpq {
namespace {

// One command that was sent, and what to make of its answer.
struct Sent {
  enum class What : std::uint8_t { begin, prepare, call, commit } what;
  const Statement* statement = nullptr;

  [[nodiscard]] std::string_view name() const {
    if (statement != nullptr) return statement->name();
    return what == What::begin ? "begin" : "commit";
  }
};

class Pipeline {
 public:
  Pipeline(PGconn* connection, PreparedStatements* prepared)
      : connection_(connection), prepared_(prepared) {}

  std::vector<Rows> run(const std::string& begin, std::span<const Call> calls) {
    std::vector<Parameters> parameters;  // may throw, so before anything is sent
    for (const auto& call : calls) parameters.emplace_back(call.statement, call.arguments);
    if (PQenterPipelineMode(connection_) == 0) throw translate(connection_, nullptr, "begin");
    const bool all_sent = send_all(begin, calls, parameters);
    // What was sent is answered in any case; without a sync the server keeps its answers.
    if (PQpipelineSync(connection_) == 0 || !all_sent) keep_error(lost(connection_, "begin"));
    for (const auto& sent : sent_) read_answer(sent);
    leave();
    if (error_) throw with_outcome();
    return std::move(rows_);
  }

 private:
  bool send_all(const std::string& begin, std::span<const Call> calls,
                std::span<const Parameters> parameters) {
    if (!send(begin.c_str(), {Sent::What::begin})) return false;
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!send(calls[i].statement, parameters[i])) return false;
    }
    commit_sent_ = true;
    return send("COMMIT", {Sent::What::commit});
  }

  bool send(const char* text, Sent sent) {
    sent_.push_back(sent);
    return PQsendQueryParams(connection_, text, 0, nullptr, nullptr, nullptr, nullptr, 0) == 1;
  }

  bool send(const Statement& statement, const Parameters& parameters) {
    if (prepared_ == nullptr) {
      sent_.push_back({Sent::What::call, &statement});
      const auto text = statement.render(Placeholders::dollar).text;
      return PQsendQueryParams(connection_, text.c_str(), parameters.count(), parameters.types(),
                               parameters.values(), parameters.lengths(), parameters.formats(),
                               0) == 1;
    }
    const auto name = prepared_->name(statement);
    if (!prepared_->contains(statement) && !send_prepare(statement, name, parameters)) return false;
    sent_.push_back({Sent::What::call, &statement});
    return PQsendQueryPrepared(connection_, name.c_str(), parameters.count(), parameters.values(),
                               parameters.lengths(), parameters.formats(), 0) == 1;
  }

  bool send_prepare(const Statement& statement, const std::string& name,
                    const Parameters& parameters) {
    for (const auto& sent : sent_) {
      if (sent.what == Sent::What::prepare && sent.statement->id() == statement.id()) return true;
    }
    sent_.push_back({Sent::What::prepare, &statement});
    const auto text = statement.render(Placeholders::dollar).text;
    return PQsendPrepare(connection_, name.c_str(), text.c_str(), parameters.count(),
                         parameters.types()) == 1;
  }

  void read_answer(const Sent& sent) {
    const Result result{PQgetResult(connection_)};
    if (!result) return keep_error(lost(connection_, sent.name()));
    while (const Result rest{PQgetResult(connection_)}) {
    }
    switch (PQresultStatus(result.get())) {
      case PGRES_COMMAND_OK:
      case PGRES_TUPLES_OK:
        return keep_answer(sent, result.get());
      case PGRES_PIPELINE_ABORTED:
        return;
      default:
        return keep_error(translate(connection_, result.get(), sent.name()));
    }
  }

  void keep_answer(const Sent& sent, const PGresult* result) {
    if (sent.what == Sent::What::prepare) prepared_->add(*sent.statement);
    if (sent.what == Sent::What::call) keep_rows(*sent.statement, result);
    if (sent.what != Sent::What::commit) return;
    committed_ = std::string_view{PQcmdStatus(const_cast<PGresult*>(result))} == "COMMIT";
    if (!committed_) {
      keep_error({ErrorDetails{.code = Errc::failed, .transaction_lost = true},
                  "commit: the server rolled the transaction back"});
    }
  }

  void keep_rows(const Statement& statement, const PGresult* result) {
    try {
      rows_.push_back(read_rows(statement, result));
    } catch (const Error& error) {
      keep_error(error);
    }
  }

  void keep_error(Error error) {
    if (error_) return;
    error_.emplace(prepared_ == nullptr ? std::move(error) : prepared_->judge(std::move(error)));
  }

  // To the state that the connection was in: no pipeline, no transaction.
  void leave() {
    if (const Result sync{PQgetResult(connection_)}; PQstatus(connection_) == CONNECTION_BAD) {
      if (!committed_) keep_error(lost(connection_, "commit"));
      return;
    }
    if (PQexitPipelineMode(connection_) == 0) keep_error(translate(connection_, nullptr, "commit"));
    if (PQtransactionStatus(connection_) != PQTRANS_IDLE) {
      const Result undone{PQexec(connection_, "ROLLBACK")};
    }
  }

  Error with_outcome() const {
    auto details = error_->details();
    details.outcome_unknown = commit_sent_ && !committed_ && details.code == Errc::connection_lost;
    return {std::move(details), error_->what()};
  }

  PGconn* connection_;
  PreparedStatements* prepared_;
  std::vector<Sent> sent_;
  std::vector<Rows> rows_;
  std::optional<Error> error_;
  bool commit_sent_ = false;
  bool committed_ = false;
};

}  // namespace

std::vector<Rows> run_pipelined(PGconn* connection, PreparedStatements* prepared,
                                const std::string& begin, std::span<const Call> calls) {
  return Pipeline{connection, prepared}.run(begin, calls);
}

}  // namespace tq::libpq
