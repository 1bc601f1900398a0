#include "claim.hpp"
#include "finish.hpp"
#include "run.hpp"
#include "tq/error.hpp"
#include "tq/queue.hpp"

namespace tq {
namespace {

// Nobody sees this lease: the row is locked from the claim to the commit.
constexpr Duration whole_transaction = std::chrono::hours{24 * 100};

// What the handler or its transaction died of.
struct HandlerFailed {
  std::string error;
};

// One job, run and finished in the transaction that claims it.
class InTransactionRun {
 public:
  InTransactionRun(const Queue& queue, Connection& connection, ClaimRequest request)
      : queue_(queue), connection_(connection), request_(std::move(request)) {
    request_.limit = 1;
    request_.lease = whole_transaction;
  }

  InTransaction run(const std::function<void(const Job&, Connection&)>& handler) {
    if (!claim()) return InTransaction::none;
    try {
      handle(handler);
      return InTransaction::completed;
    } catch (const HandlerFailed& failure) {
      record(failure.error);
      return InTransaction::failed;
    }
  }

 private:
  const Transaction& transaction() const { return queue_.dialect().transaction; }

  Execution execution() const { return {queue_.dialect(), queue_.options().retries}; }

  bool claim() {
    settle(connection_, execution(), request_.queue);
    retrying(queue_.options().retries, Duplicates::retried, [this] {
      connection_.begin(transaction());
      try {
        auto jobs = pick(connection_, execution(), request_);
        job_ = jobs.empty() ? std::nullopt : std::optional{std::move(jobs.front())};
        if (job_) {
          connection_.execute(transaction().savepoint);
        } else {
          connection_.commit();
        }
      } catch (...) {
        connection_.rollback();
        throw;
      }
    });
    return job_.has_value();
  }

  void handle(const std::function<void(const Job&, Connection&)>& handler) {
    try {
      handler(*job_, connection_);
      if (connection_.transaction_state() != TransactionState::open) {
        throw Error{Errc::failed, "the handler ended the transaction that it was run in"};
      }
      if (const auto answer = queue_.complete(connection_, job_->lease()); answer != Finish::done) {
        throw Error{Errc::failed,
                    "the job was not accepted as complete: " + std::string{name(answer)}};
      }
      connection_.commit();
    } catch (const Error& error) {
      if (error.outcome_unknown() || !connection_.usable()) throw;
      throw HandlerFailed{error.what()};
    } catch (const std::exception& error) {
      throw HandlerFailed{error.what()};
    } catch (...) {
      throw HandlerFailed{"the handler threw something that is not a std::exception"};
    }
  }

  void record(const std::string& error) {
    if (record_after_savepoint(error)) return;
    connection_.rollback();
    record_afresh(error);
  }

  // False if the savepoint, and so the claim, is lost.
  bool record_after_savepoint(const std::string& error) {
    if (connection_.transaction_state() == TransactionState::none) return false;
    try {
      connection_.execute(transaction().rollback_to);
      const auto answer = queue_.fail(connection_, job_->lease(), {.error = error});
      if (answer != Finish::done) return false;
      connection_.commit();
      return true;
    } catch (const Error& failure) {
      if (failure.outcome_unknown() || !connection_.usable()) throw;
      return false;
    }
  }

  // The claim was undone, so the job is ready with its attempts as before, unless someone else has
  // claimed it meanwhile: then the failure is theirs to have.
  void record_afresh(const std::string& error) {
    const auto id = job_->job_id.text();
    const std::vector<Named> arguments{{"job_id", id},
                                       {"attempts", job_->generation - 1},
                                       {"worker", request_.worker},
                                       {"lease", whole_transaction.count()}};
    in_transaction(connection_, execution(), Duplicates::retried, [&] {
      if (tq::run(connection_, queue_.dialect().retake, arguments).empty()) return;
      (void)queue_.fail(connection_, job_->lease(), {.error = error});
    });
  }

  const Queue& queue_;
  Connection& connection_;
  ClaimRequest request_;
  std::optional<Job> job_;
};

}  // namespace

InTransaction Queue::run_in_transaction(
    Connection& connection, const ClaimRequest& request,
    const std::function<void(const Job&, Connection&)>& handler) const {
  if (joins(connection)) {
    throw Error{Errc::invalid_argument,
                "run_in_transaction: it begins and commits by itself, so it needs a connection "
                "that the library opened, with no transaction open"};
  }
  check_request(request);
  return InTransactionRun{*this, connection, request}.run(handler);
}

}  // namespace tq
