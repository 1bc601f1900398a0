// with_sqlite3 FILE: on the application's own sqlite3*, in a file that is not there yet.
#include <sqlite3.h>

#include <stdexcept>
#include <tq/sqlite.hpp>
#include <tq/sqlite3.hpp>

#include "proof.hpp"

namespace {

class OwnSqlite final : public OwnDatabase {
 public:
  explicit OwnSqlite(const std::string& file) : handle_(nullptr, &sqlite3_close) {
    sqlite3* opened = nullptr;
    const int answer = sqlite3_open(file.c_str(), &opened);
    handle_.reset(opened);
    if (answer != SQLITE_OK) throw std::runtime_error{sqlite3_errmsg(opened)};
  }
  sqlite3* handle() { return handle_.get(); }

  std::string run(const std::string& sql) override {
    sqlite3_stmt* made = nullptr;
    sqlite3_prepare_v2(handle(), sql.c_str(), -1, &made, nullptr);
    const std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)> statement{made,
                                                                               &sqlite3_finalize};
    const int answer = sqlite3_step(made);
    if (answer == SQLITE_ROW) return reinterpret_cast<const char*>(sqlite3_column_text(made, 0));
    if (answer != SQLITE_DONE) throw std::runtime_error{sqlite3_errmsg(handle())};
    return {};
  }

 private:
  std::unique_ptr<sqlite3, decltype(&sqlite3_close)> handle_;
};

}  // namespace

int main(int count, char** arguments) try {
  if (count != 2) throw std::invalid_argument{"give a file"};
  const std::string file = arguments[1];
  const tq::Queue queue{tq::sqlite()};
  OwnSqlite own{file};
  tq::SqliteConnection borrowed{own.handle()};
  return prove(
      own, borrowed, [&] { return tq::SqliteConnection::open(file, queue.dialect().session); },
      queue);
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
