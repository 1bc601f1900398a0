// SOCI's odbc backend, over the ODBC driver manager, for whichever engine answers at the other end.
#include "backends/odbc.hpp"

#include <soci/odbc/soci-odbc.h>
#include <soci/version.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <ostream>
#include <vector>

#include "targets.hpp"

namespace tq::soci_driver {
namespace {

// "[unixODBC][Driver Manager]words\nDETAIL: a row" is "words". psqlodbc puts ERROR in front.
std::string words_of(std::string_view text) {
  while (text.starts_with('[') && text.find(']') != std::string_view::npos) {
    text.remove_prefix(text.find(']') + 1);
  }
  text = text.substr(0, text.find('\n'));
  for (const std::string_view severity : {"ERROR: ", "FATAL: "}) {
    if (text.starts_with(severity)) text.remove_prefix(severity.size());
  }
  return std::string{text};
}

const char* characters(const SQLCHAR* text) { return reinterpret_cast<const char*>(text); }

struct FreeStatement {
  void operator()(SQLHSTMT handle) const noexcept { SQLFreeHandle(SQL_HANDLE_STMT, handle); }
};
using Handle = std::unique_ptr<void, FreeStatement>;

void check_result(SQLRETURN result, SQLHSTMT statement) {
  if (SQL_SUCCEEDED(result) || result == SQL_NO_DATA) return;
  throw soci::odbc_soci_error{SQL_HANDLE_STMT, statement, "running a statement"};
}

// One column of the row that was fetched, whole; nullopt: null. An answer may come in pieces.
std::optional<std::string> column_of(SQLHSTMT statement, SQLUSMALLINT position) {
  std::array<char, 4096> piece{};
  std::string text;
  for (;;) {
    SQLLEN left = 0;
    const auto result = SQLGetData(statement, position, SQL_C_CHAR, piece.data(),
                                   static_cast<SQLLEN>(piece.size()), &left);
    check_result(result, statement);
    if (left == SQL_NULL_DATA) return std::nullopt;
    if (result == SQL_NO_DATA) return text;
    text += piece.data();
    if (result == SQL_SUCCESS) return text;
  }
}

// SOCI's own place for a text has as many bytes as the ODBC driver says that the column has
// characters, and cuts off what is longer; or 100 MiB.
class Column final : public soci::details::into_type_base {
 public:
  Column(std::string& text, soci::indicator& indicator) : text_{text}, indicator_{indicator} {}

  void define(soci::details::statement_impl& statement, int& position) override {
    statement_ = static_cast<soci::odbc_statement_backend*>(statement.get_backend());
    position_ = static_cast<SQLUSMALLINT>(position++);
  }
  void pre_exec(int /*number*/) override {}
  void pre_fetch() override {}
  void post_fetch(bool got_data, bool /*from_fetch*/) override {
    if (!got_data) return;
    auto value = column_of(statement_->hstmt_, position_);
    indicator_ = value ? soci::i_ok : soci::i_null;
    text_ = std::move(value).value_or("");
  }
  void clean_up() override {}
  [[nodiscard]] std::size_t size() const override { return 1; }

 private:
  std::string& text_;
  soci::indicator& indicator_;
  soci::odbc_statement_backend* statement_ = nullptr;
  SQLUSMALLINT position_ = 0;
};

// SOCI would bind all that has less than 8,000 bytes as a VARCHAR. Oracle's ODBC driver may convert
// a long text where it lies, so it gets a copy with room for four bytes a character.
class Words final : public soci::details::use_type_base {
 public:
  Words(const std::string& text, const soci::indicator& indicator, std::size_t short_bytes)
      : text_{text}, indicator_{indicator}, short_bytes_{short_bytes} {}

  void bind(soci::details::statement_impl& statement, int& position) override {
    statement_ = static_cast<soci::odbc_statement_backend*>(statement.get_backend());
    position_ = static_cast<SQLUSMALLINT>(position++);
  }
  [[nodiscard]] std::string get_name() const override { return {}; }
#if SOCI_VERSION < 400100
  void dump_value(std::ostream& out) const override { out << "a text"; }
#else
  void dump_value(std::ostream& out, int /*index*/) const override { out << "a text"; }
#endif
  void pre_exec(int /*number*/) override {}
  void pre_use() override {
    const bool none = indicator_ == soci::i_null;
    const bool brief = none || text_.size() <= short_bytes_;
    place_ = none ? std::string{} : text_;
    length_ = none ? SQL_NULL_DATA : static_cast<SQLLEN>(text_.size());
    place_.resize(brief ? place_.size() + 1 : 4 * place_.size());
    const auto result =
        SQLBindParameter(statement_->hstmt_, position_, SQL_PARAM_INPUT, SQL_C_CHAR,
                         static_cast<SQLSMALLINT>(brief ? SQL_VARCHAR : SQL_LONGVARCHAR),
                         std::max<SQLULEN>(text_.size(), 1), 0, place_.data(),
                         static_cast<SQLLEN>(place_.size()), &length_);
    check_result(result, statement_->hstmt_);
  }
  void post_use(bool /*got_data*/) override {}
  void clean_up() override {}
  [[nodiscard]] std::size_t size() const override { return 1; }

 private:
  const std::string& text_;
  const soci::indicator& indicator_;
  std::size_t short_bytes_;
  std::string place_ = {};
  SQLLEN length_ = 0;
  soci::odbc_statement_backend* statement_ = nullptr;
  SQLUSMALLINT position_ = 0;
};

SQLHDBC connection_of(soci::session& session) {
  auto* const backend = session.get_backend();
  if (backend == nullptr) throw lost({});
  return static_cast<soci::odbc_session_backend*>(backend)->hdbc_;
}

const servers::Server& server_of(soci::session& session) {
  std::array<char, 256> product{};
  SQLSMALLINT length = 0;
  SQLGetInfo(connection_of(session), SQL_DBMS_NAME, product.data(),
             static_cast<SQLSMALLINT>(product.size()), &length);
  const auto* const server = servers::server_called(product.data());
  if (server != nullptr) return *server;
  throw Error{Errc::unsupported, std::string{"the ODBC driver is connected to "} + product.data() +
                                     ", which this library does not know"};
}

class Odbc final : public Backend {
 public:
  enum class Owner : std::uint8_t { application, library };

  Odbc(soci::session& session, const servers::Server& server, Owner owner)
      : session_{session},
        server_{server},
        own_{owner == Owner::library},
        known_{own_ ? TransactionState::none : TransactionState::unknown} {}

  // Nor does the driver manager disconnect within a transaction that it knows of.
  ~Odbc() override {
    if (!manual_ || session_.get_backend() == nullptr) return;
    SQLEndTran(SQL_HANDLE_DBC, connection_of(session_), SQL_ROLLBACK);
  }
  Odbc(const Odbc&) = delete;
  Odbc& operator=(const Odbc&) = delete;

  [[nodiscard]] const servers::Server& server() const noexcept override { return server_; }

  void check() override {
    (void)connection_of(session_);
    if (checked_) return;
    if (!server_.session_query.empty()) {
      (void)server_.read_session(run(std::string{server_.session_query}));
    }
    checked_ = true;
  }

  void send(const std::string& text, std::string_view /*name*/) override {
    note_text();
    (void)run(text);
  }
  // Where no text begins one, SOCI tells the ODBC driver not to commit each statement.
  void begin(const std::string& text) override {
    manual_ = text.empty() && server_.begin.empty();
    if (manual_) {
      session_.begin();
    } else {
      (void)run(text.empty() ? std::string{server_.begin} : text);
    }
    note(TransactionState::open);
  }
  void commit() override {
    if (ask_state() == TransactionState::failed) {
      rollback();
      throw Error{
          ErrorDetails{.code = Errc::failed, .transaction_lost = true, .statement = "commit"},
          "commit: a statement of the transaction had failed, so it was rolled back"};
    }
    if (manual_) {
      session_.commit();
    } else {
      (void)run("COMMIT");
    }
    manual_ = false;
    note(TransactionState::none);
  }
  void rollback() override {
    if (manual_) {
      session_.rollback();
    } else if (ask_state() != TransactionState::none) {
      (void)run("ROLLBACK");
    }
    manual_ = false;
    note(TransactionState::none);
  }

  void bind(soci::statement& prepared, std::string& text, soci::indicator& indicator) override {
    if (server_.short_bytes == 0) return Backend::bind(prepared, text, indicator);
    auto words = std::make_unique<Words>(text, indicator, server_.short_bytes);
    prepared.exchange(soci::details::use_type_ptr{words.release()});
  }
  void place(soci::statement& prepared, std::string& text, soci::indicator& indicator) override {
    prepared.exchange(soci::details::into_type_ptr{new Column{text, indicator}});
  }

  bool start(soci::statement& prepared, const Statement& statement) override {
    prepared.execute(false);
    SQLSMALLINT columns = 0;
    SQLNumResultCols(handle_of(prepared), &columns);
    if (static_cast<std::size_t>(columns) < statement.columns().size()) refuse_answer(statement);
    return prepared.fetch();
  }

  // An error may come with a result behind the first.
  void finish(soci::statement& prepared) override {
    auto* const handle = handle_of(prepared);
    SQLRETURN result = SQL_SUCCESS;
    while (SQL_SUCCEEDED(result)) result = SQLMoreResults(handle);
    check_result(result, handle);
    SQLFreeStmt(handle, SQL_CLOSE);
  }

  [[nodiscard]] Error translate(const soci::soci_error& error, std::string_view name) override {
    note_error();
    const auto* const reported = dynamic_cast<const soci::odbc_soci_error*>(&error);
    if (reported == nullptr) return plain_error(error, name);
    const auto words = words_of(characters(reported->odbc_error_message()));
    // psqlodbc has numbers of its own there.
    const bool numbers = &server_ != &servers::postgresql();
    return server_.translate(
        {.number = numbers ? static_cast<int>(reported->native_error_code()) : 0,
         .sqlstate = characters(reported->odbc_error_code()),
         .message = words},
        name);
  }

  [[nodiscard]] TransactionState known_state() noexcept override { return known_; }

  [[nodiscard]] TransactionState ask_state() noexcept override {
    if (known_ != TransactionState::unknown) return known_;
    try {
      const auto state = server_.ask_transaction([this](std::string_view text) {
        try {
          (void)run(std::string{text});
        } catch (const soci::soci_error& error) {
          throw translate(error, {});
        }
      });
      if (state == TransactionState::none && !autocommit()) return TransactionState::open;
      note(state);
      return state;
    } catch (const std::exception&) {
      return TransactionState::unknown;
    }
  }

  // No ODBC driver that was tried lets another thread cancel a statement safely.
  void cancel() noexcept override {}

 private:
  static SQLHSTMT handle_of(soci::statement& prepared) {
    return static_cast<soci::odbc_statement_backend*>(prepared.get_backend())->hstmt_;
  }

  // Without autocommit, a transaction is open or the next statement begins it.
  bool autocommit() const {
    SQLUINTEGER value = SQL_AUTOCOMMIT_ON;
    const auto result =
        SQLGetConnectAttr(connection_of(session_), SQL_ATTR_AUTOCOMMIT, &value, 0, nullptr);
    return !SQL_SUCCEEDED(result) || value == SQL_AUTOCOMMIT_ON;
  }

  // Of a borrowed session nothing is ever known.
  void note(TransactionState state) noexcept { known_ = own_ ? state : TransactionState::unknown; }
  void note_text() noexcept { note(TransactionState::unknown); }
  void note_error() noexcept {
    if (known_ == TransactionState::open) {
      note(server_.error_fails_transaction ? TransactionState::failed : TransactionState::unknown);
    }
  }

  // Runs SQL text as it is; gives the first row of its first result, and reads all of them.
  std::vector<std::string> run(const std::string& text) {
    auto* const connection = connection_of(session_);
    SQLHANDLE raw = nullptr;
    if (!SQL_SUCCEEDED(SQLAllocHandle(SQL_HANDLE_STMT, connection, &raw))) {
      throw soci::odbc_soci_error{SQL_HANDLE_DBC, connection, "allocating a statement"};
    }
    const Handle statement{raw};
    std::vector<std::string> first;
    auto result = SQLExecDirect(raw, soci::details::sqlchar_cast(text), SQL_NTS);
    for (; SQL_SUCCEEDED(result); result = SQLMoreResults(raw)) {
      SQLSMALLINT columns = 0;
      SQLNumResultCols(raw, &columns);
      if (columns == 0 || !first.empty() || SQLFetch(raw) != SQL_SUCCESS) continue;
      for (SQLSMALLINT c = 1; c <= columns; ++c) {
        first.push_back(column_of(raw, static_cast<SQLUSMALLINT>(c)).value_or(""));
      }
    }
    check_result(result, raw);
    return first;
  }

  soci::session& session_;
  const servers::Server& server_;
  bool own_;
  TransactionState known_;
  bool manual_ = false;  // our transaction is begun and ended by SOCI's own calls
  bool checked_ = false;
};

// Where the driver manager found no ODBC driver to load.
std::string_view advice_for(const soci::odbc_soci_error& error) {
  const std::string_view state = characters(error.odbc_error_code());
  const std::string_view words = characters(error.odbc_error_message());
  const bool none = state == "IM002" || state == "IM003" ||
                    words.find("Can't open lib") != std::string_view::npos;
  return none ? "; odbcinst -q -d lists the ODBC drivers of this machine" : "";
}

Error not_connected(const Url& url, const soci::odbc_soci_error& error) {
  const auto words = words_of(characters(error.odbc_error_message()));
  const std::string_view state = characters(error.odbc_error_code());
  const auto advice = advice_for(error);
  const auto* const server = servers::server_called(url.dialect());
  if (advice.empty() && server != nullptr && server->not_connected != nullptr) {
    return server->not_connected({.number = static_cast<int>(error.native_error_code()),
                                  .sqlstate = state,
                                  .message = words});
  }
  return {
      ErrorDetails{
          .code = Errc::connection_lost, .transaction_lost = true, .sqlstate = std::string{state}},
      "no connection to the server: " + words + std::string{advice}};
}

Opened open(Url& url) {
  const auto target = odbc_target(url);
  std::unique_ptr<soci::session> session;
  try {
    soci::connection_parameters parameters{soci::odbc, target};
    parameters.set_option(soci::odbc_option_driver_complete, std::to_string(SQL_DRIVER_NOPROMPT));
    session = std::make_unique<soci::session>(parameters);
  } catch (const soci::odbc_soci_error& error) {
    throw not_connected(url, error);
  } catch (const soci::soci_error& error) {
    throw plain_error(error, {});
  }
  auto backend = own_odbc(*session, server_of(*session));
  return {.session = std::move(session), .backend = std::move(backend)};
}

}  // namespace

std::unique_ptr<Backend> own_odbc(soci::session& session, const servers::Server& server) {
  return std::make_unique<Odbc>(session, server, Odbc::Owner::library);
}

std::unique_ptr<Backend> borrowed_odbc(soci::session& session, const servers::Server& server) {
  return std::make_unique<Odbc>(session, server, Odbc::Owner::application);
}

BackendEntry odbc_backend() {
  return {.name = "odbc",
          .open = &open,
          .borrow = [](soci::session& session) -> std::unique_ptr<Backend> {
            return borrowed_odbc(session, server_of(session));
          }};
}

}  // namespace tq::soci_driver
