// The pair sqlite3 + sqlite.
#include <sqlite3.h>

#include "pair.hpp"
#include "tq/sqlite3.hpp"
#include "url.hpp"

namespace tq::conformance {
namespace {

using Handle = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;
using Prepared = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

Handle connect(const std::string& path) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open(path.c_str(), &raw);
  Handle handle{raw, &sqlite3_close};
  if (code != SQLITE_OK) throw RawError{sqlite3_errmsg(raw)};
  return handle;
}

int collect(void* rows, int columns, char** values, char** /*names*/) {
  RawConnection::Row row;
  for (int c = 0; c < columns; ++c) row.emplace_back(values[c] == nullptr ? "(null)" : values[c]);
  static_cast<std::vector<RawConnection::Row>*>(rows)->push_back(std::move(row));
  return 0;
}

class SqliteRaw final : public RawConnection {
 public:
  explicit SqliteRaw(const std::string& path) : handle_(connect(path)) {}

  std::vector<Row> execute(const std::string& sql) override {
    std::vector<Row> rows;
    if (sqlite3_exec(handle_.get(), sql.c_str(), &collect, &rows, nullptr) != SQLITE_OK) {
      throw RawError{sqlite3_errmsg(handle_.get())};
    }
    return rows;
  }

  std::unique_ptr<Connection> borrow() override {
    return std::make_unique<SqliteConnection>(handle_.get());
  }

  std::optional<std::int64_t> steps(const std::string& sql) override {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &raw, nullptr) != SQLITE_OK) {
      throw RawError{sqlite3_errmsg(handle_.get())};
    }
    const Prepared prepared{raw, &sqlite3_finalize};
    int code = SQLITE_ROW;
    while (code == SQLITE_ROW) code = sqlite3_step(raw);
    if (code != SQLITE_DONE) throw RawError{sqlite3_errmsg(handle_.get())};
    return sqlite3_stmt_status(raw, SQLITE_STMTSTATUS_VM_STEP, 0);
  }

 private:
  Handle handle_;
};

}  // namespace

Pair sqlite3_sqlite() {
  return sqlite_with(
      {.driver = "sqlite3",
       .is_default = true,
       .open = [](const std::string& url, const std::vector<std::string>& session)
           -> std::unique_ptr<Connection> { return SqliteConnection::open(url, session); },
       .raw = [](const std::string& url) -> std::unique_ptr<RawConnection> {
         return std::make_unique<SqliteRaw>(sqlite3_driver::parse_url(url).path);
       }});
}

}  // namespace tq::conformance
