// The pair soci + sqlite.
#include <soci/soci.h>
#include <sqlite3.h>

#include "backends/sqlite3_handles.hpp"
#include "pair.hpp"
#include "tq/soci.hpp"
#include "url.hpp"

namespace tq::conformance {
namespace {

using Prepared = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

int collect(void* rows, int columns, char** values, char** /*names*/) {
  RawConnection::Row row;
  for (int c = 0; c < columns; ++c) row.emplace_back(values[c] == nullptr ? "(null)" : values[c]);
  static_cast<std::vector<RawConnection::Row>*>(rows)->push_back(std::move(row));
  return 0;
}

// A bare session. Its text goes to SQLite, since SOCI takes one statement at a time and runs it
// twice to learn of its columns.
class SociRaw final : public RawConnection {
 public:
  explicit SociRaw(const std::string& path) try : session_{soci_driver::open_sqlite(path)} {
  } catch (const soci::soci_error& error) {
    throw RawError{error.get_error_message()};
  }

  std::vector<Row> execute(const std::string& sql) override {
    std::vector<Row> rows;
    if (sqlite3_exec(handle(), sql.c_str(), &collect, &rows, nullptr) != SQLITE_OK) {
      throw RawError{sqlite3_errmsg(handle())};
    }
    return rows;
  }

  std::unique_ptr<Connection> borrow() override {
    return std::make_unique<SociConnection>(*session_);
  }

  std::optional<std::int64_t> steps(const std::string& sql) override {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(handle(), sql.c_str(), -1, &raw, nullptr) != SQLITE_OK) {
      throw RawError{sqlite3_errmsg(handle())};
    }
    const Prepared prepared{raw, &sqlite3_finalize};
    int code = SQLITE_ROW;
    while (code == SQLITE_ROW) code = sqlite3_step(raw);
    if (code != SQLITE_DONE) throw RawError{sqlite3_errmsg(handle())};
    return sqlite3_stmt_status(raw, SQLITE_STMTSTATUS_VM_STEP, 0);
  }

 private:
  ::sqlite3* handle() { return soci_driver::sqlite_of(*session_); }

  std::unique_ptr<soci::session> session_;
};

}  // namespace

Pair soci_sqlite() {
  return sqlite_with(
      {.driver = "soci",
       .open = [](const std::string& url, const std::vector<std::string>& session)
           -> std::unique_ptr<Connection> { return SociConnection::open(url, session); },
       .raw = [](const std::string& url) -> std::unique_ptr<RawConnection> {
         return std::make_unique<SociRaw>(soci_driver::Url{url}.parts().path);
       },
       .limits = [](const std::string& /*url*/) -> Limits {
         return {.announcements = "SOCI has no way to wait: a job is found by the next look"};
       }});
}

}  // namespace tq::conformance
