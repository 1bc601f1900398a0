// The pair soci + postgresql.
#include <libpq-fe.h>
#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>

#include "pair.hpp"
#include "tq/soci.hpp"

namespace tq::conformance {
namespace {

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

std::vector<RawConnection::Row> rows_of(const PGresult* result) {
  std::vector<RawConnection::Row> rows;
  for (int r = 0; r < PQntuples(result); ++r) {
    RawConnection::Row row;
    for (int c = 0; c < PQnfields(result); ++c) {
      row.emplace_back(PQgetisnull(result, r, c) != 0 ? "(null)" : PQgetvalue(result, r, c));
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// Behind a pooler of transactions.
bool pooled(const std::string& url) { return url.find("tq_prepare=off") != std::string::npos; }

// SOCI does not know our parameter. With another one, and so an equals sign, the URL passes
// unharmed through SOCI's reading of it.
std::string for_soci(std::string url) {
  if (pooled(url)) url.erase(url.find("tq_prepare=off") - 1);
  return url + (url.find('?') == std::string::npos ? "?" : "&") + "connect_timeout=10";
}

// A bare session. Its text goes to libpq, since SOCI takes a colon for a parameter and has no text
// for a value of every type.
class SociRaw final : public RawConnection {
 public:
  explicit SociRaw(const std::string& url) try : session_{soci::postgresql, for_soci(url)} {
    PQsetNoticeProcessor(
        handle(), [](void* /*unused*/, const char* /*text*/) {}, nullptr);
  } catch (const soci::soci_error& error) {
    throw RawError{error.get_error_message()};
  }

  std::vector<Row> execute(const std::string& sql) override {
    const Result result{PQexec(handle(), sql.c_str()), &PQclear};
    const auto status = PQresultStatus(result.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY) {
      throw RawError{PQerrorMessage(handle())};
    }
    return rows_of(result.get());
  }

  std::unique_ptr<Connection> borrow() override {
    return std::make_unique<SociConnection>(session_);
  }

 private:
  PGconn* handle() {
    return static_cast<soci::postgresql_session_backend*>(session_.get_backend())->conn_;
  }

  soci::session session_;
};

}  // namespace

Pair soci_postgresql() {
  return postgresql_with(
      {.driver = "soci",
       .open = [](const std::string& url, const std::vector<std::string>& session)
           -> std::unique_ptr<Connection> { return SociConnection::open(url, session); },
       .raw = [](const std::string& url) -> std::unique_ptr<RawConnection> {
         return std::make_unique<SociRaw>(url);
       },
       .limits = [](const std::string& url) -> Limits {
         return {.session = pooled(url) ? "behind a pooler of transactions a session setting would "
                                          "go to whatever connection is lent just then"
                                        : "",
                 .announcements = "SOCI has no way to wait: a job is found by the next look"};
       },
       .suffix = [](const std::string& url) { return pooled(url) ? "pooled" : ""; }});
}

}  // namespace tq::conformance
