// The pair sqlite3 + sqlite. Needs no server: a place is a folder with a file, and the URL names
// the folder that it is made in.
#include "tq/sqlite.hpp"

#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>

#include "pair.hpp"
#include "tq/sqlite3.hpp"

namespace tq::conformance {
namespace {

using Handle = std::unique_ptr<sqlite3, decltype(&sqlite3_close)>;
using Prepared = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

Handle connect(const std::string& path) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open(path.c_str(), &raw);
  Handle handle{raw, &sqlite3_close};
  if (code != SQLITE_OK) throw RawError{sqlite3_errmsg(raw)};
  constexpr int patient_ms = 5000;
  sqlite3_busy_timeout(raw, patient_ms);
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

  Examined examine(const Statement& statement, std::span<const Argument> arguments) override {
    Examined examined;
    examined.statement = statement.name();
    const auto rendered = statement.render(Placeholders::numbered);
    examined.plan = explain(rendered.text);
    if (examined.plan.find("SCAN tq_job\n") != std::string::npos) {
      examined.objection = "a full scan of tq_job";
    }
    if (examined.plan.find("AUTOMATIC") != std::string::npos) {
      examined.objection = "an index made for one query";
    }
    execute("SAVEPOINT tqc_examine");
    {
      const auto run = prepare(rendered.text, rendered.order, arguments);
      while (step(run)) {
      }
      examined.work = sqlite3_stmt_status(run.get(), SQLITE_STMTSTATUS_VM_STEP, 0);
    }
    execute("ROLLBACK TO tqc_examine; RELEASE tqc_examine");
    return examined;
  }

 private:
  std::string explain(const std::string& sql) {
    std::string plan;
    const auto explanation = prepare("EXPLAIN QUERY PLAN " + sql, {}, {});
    while (step(explanation)) {
      constexpr int detail = 3;
      const auto* text = sqlite3_column_text(explanation.get(), detail);
      plan += std::string{reinterpret_cast<const char*>(text)} + "\n";
    }
    return plan;
  }

  Prepared prepare(const std::string& sql, const std::vector<std::size_t>& order,
                   std::span<const Argument> arguments) {
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(handle_.get(), sql.c_str(), -1, &raw, nullptr) != SQLITE_OK) {
      throw RawError{sqlite3_errmsg(handle_.get())};
    }
    Prepared prepared{raw, &sqlite3_finalize};
    for (std::size_t i = 0; i < order.size(); ++i) {
      bind(prepared, static_cast<int>(i) + 1, arguments[order[i]]);
    }
    return prepared;
  }

  static void bind(const Prepared& prepared, int position, const Argument& argument) {
    if (const auto* number = std::get_if<std::int64_t>(&argument)) {
      sqlite3_bind_int64(prepared.get(), position, *number);
    } else if (const auto* text = std::get_if<std::string_view>(&argument)) {
      sqlite3_bind_text(prepared.get(), position, text->data(), static_cast<int>(text->size()),
                        nullptr);  // nullptr is SQLITE_STATIC: the text outlives the statement.
    }
  }

  bool step(const Prepared& prepared) {
    const int code = sqlite3_step(prepared.get());
    if (code != SQLITE_ROW && code != SQLITE_DONE) throw RawError{sqlite3_errmsg(handle_.get())};
    return code == SQLITE_ROW;
  }

  Handle handle_;
};

class File final : public Place {
 public:
  File(const std::filesystem::path& parent, std::string name)
      : name_(std::move(name)), folder_(parent / name_) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<Connection> open(const OpenOptions& options) const override {
    auto url = "sqlite:///" + path();
    if (options.lock_wait > Duration{}) {
      url += "?busy_timeout=" + std::to_string(options.lock_wait.count() / 1000);
    }
    auto session = options.session;
    const auto own = dialect().session;
    session.insert(session.end(), own.begin(), own.end());
    std::filesystem::create_directories(folder_);
    return SqliteConnection::open(url, session);
  }
  [[nodiscard]] std::unique_ptr<RawConnection> raw() const override {
    std::filesystem::create_directories(folder_);
    return std::make_unique<SqliteRaw>(path());
  }
  [[nodiscard]] Dialect dialect() const override { return sqlite(); }
  [[nodiscard]] std::string table(std::string_view name) const override {
    return std::string{name};
  }
  [[nodiscard]] std::optional<Dialect> beside(Connection& connection) const override {
    connection.execute("ATTACH DATABASE '" + (folder_ / "beside.db").string() + "' AS beside");
    return sqlite({.schema = "beside"});
  }
  [[nodiscard]] std::string objects() const override {
    return "SELECT type, name FROM sqlite_master WHERE type IN ('table', 'index') "
           "AND name NOT LIKE 'sqlite_%' ORDER BY 1, 2";
  }

  void remove() const override {
    std::error_code failure;
    std::filesystem::remove_all(folder_, failure);
    if (failure) throw RawError{folder_.string() + ": " + failure.message()};
  }
  [[nodiscard]] std::string how_to_remove() const override { return "rm -r " + folder_.string(); }

 private:
  [[nodiscard]] std::string path() const { return folder_ / "queue.db"; }
  std::string name_;
  std::filesystem::path folder_;
};

Texts texts() {
  return {
      .begin = "BEGIN",
      .commit = "COMMIT",
      .rollback = "ROLLBACK",
      .begin_snapshot = "BEGIN",
      // A transaction that has read cannot become a writer once another has committed:
      // https://www.sqlite.org/isolation.html
      .snapshot_race = Errc::busy,
      .mutual_wait = Errc::busy,
      .trips_a_batch = 2,  // Two statements, which travel nowhere: the library is in the process.
      .short_lock_wait = "PRAGMA busy_timeout = 100",
      .hostile_session = {"PRAGMA reverse_unordered_selects = ON", "PRAGMA foreign_keys = ON",
                          "PRAGMA case_sensitive_like = ON", "PRAGMA recursive_triggers = ON"},
      .read_only_session = "PRAGMA query_only = ON",
      .other_time_zone = "",  // SQLite knows the zone of the process alone, which the test sets.
      .session_settings =
          "SELECT 'busy_timeout', timeout FROM pragma_busy_timeout UNION ALL "
          "SELECT 'synchronous', synchronous FROM pragma_synchronous UNION ALL "
          "SELECT 'journal_mode', journal_mode FROM pragma_journal_mode UNION ALL "
          "SELECT 'foreign_keys', foreign_keys FROM pragma_foreign_keys UNION ALL "
          "SELECT 'recursive_triggers', recursive_triggers FROM pragma_recursive_triggers "
          "UNION ALL SELECT 'query_only', query_only FROM pragma_query_only UNION ALL "
          "SELECT 'cache_size', cache_size FROM pragma_cache_size UNION ALL "
          "SELECT 'temp_store', temp_store FROM pragma_temp_store",
      .earlier =
          [](std::string_view column, Duration by) {
            return std::string{column} + " - " + std::to_string(by.count());
          },
      .id = [](JobId id) { return "'" + id.text() + "'"; },
      .drop_index = [](const std::string& /*table*/,
                       const std::string& index) { return "DROP INDEX " + index; },
      .history_table =
          [](const std::string& table) {
            return "CREATE TABLE " + table +
                   " (seq INTEGER PRIMARY KEY AUTOINCREMENT, job_id TEXT, group_key TEXT, "
                   "event TEXT)";
          },
  };
}

// sqlite:///FOLDER, as of a file: relative after three slashes, absolute after four.
std::filesystem::path folder_of(const std::string& url) {
  constexpr std::string_view begin = "://";
  auto path = url.substr(url.find(begin) + begin.size());
  if (!path.starts_with('/') || path.size() == 1) {
    throw RawError{
        "a URL of SQLite is sqlite:///FOLDER here; its databases are made in the folder"};
  }
  return std::filesystem::absolute(path.substr(1));
}

Server server(const std::string& url) {
  (void)folder_of(url);
  return {.instance = "sqlite3_sqlite",
          .version = std::string{"sqlite "} + sqlite3_libversion(),
          .texts = texts()};
}

void check(const std::string& url) {
  const auto folder = folder_of(url);
  if (!std::filesystem::is_directory(folder) || ::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw RawError{folder.string() + " is not a folder that may be written to"};
  }
}

}  // namespace

Pair sqlite3_sqlite() {
  return {.name = "sqlite3_sqlite",
          .schemes = {"sqlite", "sqlite+sqlite3"},
          .variables = {},
          .fallback = "sqlite:///" + std::filesystem::temp_directory_path().string(),
          .server = server,
          .check = check,
          .place = [](const std::string& url, const std::string& name) {
            return std::make_unique<File>(folder_of(url), name);
          }};
}

}  // namespace tq::conformance
