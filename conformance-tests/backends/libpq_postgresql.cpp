// The pair libpq + postgresql. With tq_prepare=off in its URL a server stands behind a pooler that
// lends its connections for a transaction each, such as PgBouncer.
#include <libpq-fe.h>

#include <algorithm>
#include <array>

#include "pair.hpp"
#include "tq/libpq.hpp"

namespace tq::conformance {
namespace {

using Handle = std::unique_ptr<PGconn, decltype(&PQfinish)>;
using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

constexpr std::string_view prepare = "tq_prepare=";

// libpq does not know our parameter.
std::string for_libpq(std::string url) {
  const auto begin = url.find(prepare);
  if (begin == std::string::npos) return url;
  const auto end = std::min(url.find('&', begin), url.size());
  // With the separator behind it, or with the one before it where it is the last.
  return url.erase(end < url.size() ? begin : begin - 1, end - begin + 1);
}

bool pooled(const std::string& url) {
  const auto begin = url.find(prepare);
  return begin != std::string::npos && url.substr(begin + prepare.size()).starts_with("off");
}

// A server that does not answer must not hold the suite up, unless the URL says otherwise.
Handle connect(const std::string& url) {
  const std::array keywords{"connect_timeout", "dbname", static_cast<const char*>(nullptr)};
  const std::array values{"10", url.c_str(), static_cast<const char*>(nullptr)};
  Handle handle{PQconnectdbParams(keywords.data(), values.data(), 1), &PQfinish};
  if (PQstatus(handle.get()) != CONNECTION_OK) throw RawError{PQerrorMessage(handle.get())};
  PQsetNoticeProcessor(
      handle.get(), [](void* /*unused*/, const char* /*text*/) {}, nullptr);
  return handle;
}

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

class LibpqRaw final : public RawConnection {
 public:
  explicit LibpqRaw(const std::string& url) : handle_(connect(url)) {}

  std::vector<Row> execute(const std::string& sql) override {
    return rows_of(checked(PQexec(handle_.get(), sql.c_str())).get());
  }

  std::unique_ptr<Connection> borrow() override {
    return std::make_unique<LibpqConnection>(handle_.get());
  }

 private:
  Result checked(PGresult* raw) {
    Result result{raw, &PQclear};
    const auto status = PQresultStatus(raw);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY) {
      throw RawError{PQerrorMessage(handle_.get())};
    }
    return result;
  }

  Handle handle_;
};

Limits limits(const std::string& url) {
  if (!pooled(url)) return {};
  return {.session =
              "behind a pooler of transactions a session setting would go to whatever "
              "connection is lent just then; SET LOCAL holds",
          .announcements =
              "behind a pooler of transactions there is no LISTEN: a job is found by "
              "the next look"};
}

}  // namespace

Pair libpq_postgresql() {
  return postgresql_with(
      {.driver = "libpq",
       .is_default = true,
       .open = [](const std::string& url, const std::vector<std::string>& session)
           -> std::unique_ptr<Connection> { return LibpqConnection::open(url, session); },
       .raw = [](const std::string& url) -> std::unique_ptr<RawConnection> {
         return std::make_unique<LibpqRaw>(for_libpq(url));
       },
       .limits = limits,
       .suffix = [](const std::string& url) { return pooled(url) ? "pooled" : ""; }});
}

}  // namespace tq::conformance
