#include <sqlite3.h>

#include <stdexcept>
#include <unordered_map>

#include "client.hpp"

namespace tq::bench {
namespace {

struct Close {
  void operator()(sqlite3* database) const noexcept { sqlite3_close_v2(database); }
};
struct Finalize {
  void operator()(sqlite3_stmt* statement) const noexcept { sqlite3_finalize(statement); }
};
using Prepared = std::unique_ptr<sqlite3_stmt, Finalize>;

constexpr int busy_milliseconds = 10'000;

class Sqlite final : public Client {
 public:
  explicit Sqlite(const std::string& file) {
    sqlite3* raw = nullptr;
    const int code =
        sqlite3_open_v2(file.c_str(), &raw, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(raw);
    check(code == SQLITE_OK);
    sqlite3_busy_timeout(raw, busy_milliseconds);
  }

  std::vector<Row> run(const Statement& statement, std::span<const Argument> arguments) override {
    auto& known = prepared(statement);
    auto* const prepared = known.prepared.get();
    for (std::size_t i = 0; i < known.order.size(); ++i) {
      bind(prepared, static_cast<int>(i) + 1, arguments[known.order[i]]);
    }
    std::vector<Row> rows;
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(prepared)) == SQLITE_ROW) rows.push_back(row(prepared));
    sqlite3_reset(prepared);
    check(code == SQLITE_DONE);
    return rows;
  }
  void execute(const std::string& text) override {
    check(sqlite3_exec(database_.get(), text.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  }

 private:
  struct Known {
    Prepared prepared;
    std::vector<std::size_t> order;
  };

  static void bind(sqlite3_stmt* prepared, int place, const Argument& argument) {
    if (const auto* number = std::get_if<std::int64_t>(&argument)) {
      sqlite3_bind_int64(prepared, place, *number);
    } else if (const auto* text = std::get_if<std::string_view>(&argument)) {
      sqlite3_bind_text(prepared, place, text->data(), static_cast<int>(text->size()),
                        SQLITE_STATIC);
    } else {
      sqlite3_bind_null(prepared, place);
    }
  }

  static Row row(sqlite3_stmt* prepared) {
    const int columns = sqlite3_column_count(prepared);
    Row row;
    row.reserve(static_cast<std::size_t>(columns));
    for (int c = 0; c < columns; ++c) {
      const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(prepared, c));
      const auto bytes = static_cast<std::size_t>(sqlite3_column_bytes(prepared, c));
      row.emplace_back(text == nullptr ? "" : text, bytes);
    }
    return row;
  }

  Known& prepared(const Statement& statement) {
    const auto found = known_.find(statement.id());
    if (found != known_.end()) return found->second;
    const auto rendered = statement.render(Placeholders::numbered);
    sqlite3_stmt* raw = nullptr;
    check(sqlite3_prepare_v3(database_.get(), rendered.text.c_str(), -1, SQLITE_PREPARE_PERSISTENT,
                             &raw, nullptr) == SQLITE_OK);
    return known_.emplace(statement.id(), Known{Prepared{raw}, rendered.order}).first->second;
  }

  void check(bool good) const {
    if (!good) throw std::runtime_error{sqlite3_errmsg(database_.get())};
  }

  std::unique_ptr<sqlite3, Close> database_;
  std::unordered_map<std::uint64_t, Known> known_;
};

}  // namespace

// sqlite:///relative or sqlite:////absolute
std::unique_ptr<Client> sqlite_client(const std::string& url) {
  constexpr std::string_view scheme = "sqlite:///";
  const auto end = std::min(url.find('?'), url.size());
  return std::make_unique<Sqlite>(url.substr(scheme.size(), end - scheme.size()));
}

}  // namespace tq::bench
