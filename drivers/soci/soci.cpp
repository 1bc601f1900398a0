#include "tq/soci.hpp"

#include <string_view>
#include <unordered_map>

#include "session_backend.hpp"
#include "url.hpp"
#include "values.hpp"

namespace tq {

using namespace soci_driver;

namespace {

// More than a few dialects have statements.
constexpr std::size_t most_prepared = 512;

constexpr int packet_too_large = 1153;  // MySQL and MariaDB then hang up

std::unique_ptr<Backend> borrowed_backend(soci::session& session) {
  if (session.get_backend() == nullptr) throw lost({});
  return backend_called(session.get_backend_name()).borrow(session);
}

Opened open_session(const std::string& text) {
  Url url{text};
  return backend_called(url.take_backend()).open(url);
}

}  // namespace

struct SociConnection::State {
  explicit State(soci::session& application)
      : session{application}, backend{borrowed_backend(application)} {}

  explicit State(Opened opened)
      : owned{std::move(opened.session)},
        session{*owned},
        backend{std::move(opened.backend)},
        keeps_statements{opened.keeps_statements} {}

  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() = default;

  bool borrowed() const noexcept { return !owned; }

  // Runs `body` in a session that was found to be fit.
  template <class Body>
  auto guarded(std::string_view name, Body body) {
    translated(name, [this] { backend->check(); });
    return translated(name, body);
  }

  // Runs `body`, and turns SOCI's errors into ours.
  template <class Body>
  auto translated(std::string_view name, Body body) {
    auto before = TransactionState::unknown;
    try {
      if (lost) throw soci_driver::lost(name);
      before = backend->known_state();
      return body();
    } catch (const soci::soci_error& error) {
      fail(backend->translate(error, name), before);
    } catch (const Error& error) {
      fail(error, before);
    }
  }

  [[noreturn]] void fail(Error error, TransactionState before) {
    auto details = error.details();
    lost = lost || details.code == Errc::connection_lost || details.vendor_code == packet_too_large;
    if (!borrowed() && backend->must_prepare_anew(error)) {
      known.clear();
      details.code = Errc::serialization;
      details.transaction_lost = true;
    }
    if (!details.transaction_lost && before != TransactionState::none && !lost &&
        backend->server().may_have_lost_transaction(error)) {
      details.transaction_lost = backend->ask_state() == TransactionState::none;
    }
    rolled_back = rolled_back || (details.transaction_lost && before != TransactionState::none);
    throw Error{std::move(details), error.what()};
  }

  Prepared& cached(const Statement& statement) {
    const auto found = known.find(statement.id());
    if (found != known.end()) return found->second;
    if (known.size() >= most_prepared) known.clear();
    return known
        .try_emplace(statement.id(), session, *backend, statement,
                     soci::details::st_repeatable_query)
        .first->second;
  }

  Rows run(const Statement& statement, std::span<const Argument> arguments) {
    return guarded(statement.name(), [&] {
      check_arguments(statement, arguments);
      backend->check_size(statement, arguments);
      if (!keeps_statements) {
        return Prepared{session, *backend, statement, soci::details::st_one_time_query}.run(
            *backend, statement, arguments);
      }
      auto& one = cached(statement);
      try {
        return one.run(*backend, statement, arguments);
      } catch (...) {
        if (backend->keeps_failed()) {
          one.clean();
        } else {
          known.erase(statement.id());
        }
        throw;
      }
    });
  }

  std::unique_ptr<soci::session> owned = {};  // empty: the session is borrowed
  soci::session& session;
  std::unique_ptr<Backend> backend;
  std::unordered_map<std::uint64_t, Prepared> known = {};  // freed before their session
  // Not on the application's session, nor behind a pooler.
  bool keeps_statements = false;
  bool rolled_back = false;  // by the server, since begin()
  bool lost = false;
};

SociConnection::SociConnection(soci::session& session) : state_(std::make_unique<State>(session)) {}

SociConnection::SociConnection(std::unique_ptr<State> state) : state_(std::move(state)) {}

SociConnection::~SociConnection() = default;

std::unique_ptr<SociConnection> SociConnection::open(const std::string& url,
                                                     const std::vector<std::string>& session) {
  auto state = std::make_unique<State>(open_session(url));
  // Behind a pooler a setting would go to whichever session is lent just then.
  for (const auto& text : state->keeps_statements ? session : std::vector<std::string>{}) {
    state->translated("session", [&] { state->backend->send(text, "session"); });
  }
  // What the administrator's defaults made of it does not count.
  state->guarded("open", [] {});
  return std::unique_ptr<SociConnection>{new SociConnection{std::move(state)}};
}

Rows SociConnection::run(const Statement& statement, std::span<const Argument> arguments) {
  return state_->run(statement, arguments);
}

void SociConnection::execute(std::string_view text) {
  state_->guarded("execute", [&] { state_->backend->send(std::string{text}, "execute"); });
}

void SociConnection::begin(const Transaction& transaction) {
  state_->rolled_back = false;
  state_->guarded("begin", [&] { state_->backend->begin(transaction.begin); });
}

void SociConnection::commit() {
  bool sent = false;
  if (state_->rolled_back && !borrowed()) {
    throw Error{ErrorDetails{.code = Errc::failed, .transaction_lost = true, .statement = "commit"},
                "commit: the server has rolled the transaction back after an earlier error"};
  }
  try {
    state_->guarded("commit", [&] {
      sent = true;
      state_->backend->commit();
    });
  } catch (const Error& error) {
    if (!sent || error.code() != Errc::connection_lost) throw;
    auto details = error.details();
    details.outcome_unknown = true;
    throw Error{std::move(details), error.what()};
  }
}

void SociConnection::rollback() noexcept {
  state_->rolled_back = false;
  if (state_->lost) return;
  try {
    state_->guarded("rollback", [&] { state_->backend->rollback(); });
  } catch (const std::exception&) {
    state_->lost = true;  // nobody knows what it is in the middle of
  }
}

bool SociConnection::borrowed() const noexcept { return state_->borrowed(); }

bool SociConnection::usable() const noexcept { return !state_->lost; }

TransactionState SociConnection::transaction_state() const noexcept {
  if (state_->lost) return TransactionState::unknown;
  return state_->backend->ask_state();
}

void SociConnection::cancel() noexcept { state_->backend->cancel(); }

}  // namespace tq
