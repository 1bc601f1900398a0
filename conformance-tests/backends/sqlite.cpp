// The half of a pair that knows SQLite. A place is a folder with a file.
#include "tq/sqlite.hpp"

#include <unistd.h>

#include <filesystem>

#include "pair.hpp"

namespace tq::conformance {
namespace {

std::string literal(const Field& /*field*/, const Argument& argument) {
  if (const auto* number = std::get_if<std::int64_t>(&argument)) return std::to_string(*number);
  const auto* text = std::get_if<std::string_view>(&argument);
  return text == nullptr ? "NULL" : text_literal(*text);
}

class File final : public Place {
 public:
  File(Client client, const std::filesystem::path& parent, std::string name)
      : client_(std::move(client)), name_(std::move(name)), folder_(parent / name_) {}

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<Connection> open(const OpenOptions& options) const override {
    auto url = this->url();
    if (options.lock_wait > Duration{}) {
      url += "?busy_timeout=" + std::to_string(options.lock_wait.count() / 1000);
    }
    auto session = options.session;
    const auto own = dialect().session;
    session.insert(session.end(), own.begin(), own.end());
    std::filesystem::create_directories(folder_);
    return client_.open(url, session);
  }
  [[nodiscard]] std::unique_ptr<RawConnection> raw() const override {
    std::filesystem::create_directories(folder_);
    auto connection = client_.raw(url());
    connection->execute("PRAGMA busy_timeout = 5000");
    return connection;
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

  [[nodiscard]] Examined examine(RawConnection& raw, const Statement& statement,
                                 std::span<const Argument> arguments) const override {
    const auto sql = inlined(statement, arguments, &literal);
    Examined examined;
    examined.statement = statement.name();
    constexpr std::size_t detail = 3;
    for (const auto& row : raw.execute("EXPLAIN QUERY PLAN " + sql)) {
      examined.plan += row.at(detail) + "\n";
    }
    if (examined.plan.find("SCAN tq_job\n") != std::string::npos) {
      examined.objection = "a full scan of tq_job";
    }
    if (examined.plan.find("AUTOMATIC") != std::string::npos) {
      examined.objection = "an index made for one query";
    }
    raw.execute("SAVEPOINT tqc_examine");
    examined.work = raw.steps(sql).value_or(0);
    raw.execute("ROLLBACK TO tqc_examine");
    raw.execute("RELEASE tqc_examine");
    return examined;
  }

  void remove() const override {
    std::error_code failure;
    std::filesystem::remove_all(folder_, failure);
    if (failure) throw RawError{folder_.string() + ": " + failure.message()};
  }
  [[nodiscard]] std::string how_to_remove() const override { return "rm -r " + folder_.string(); }

 private:
  [[nodiscard]] std::string url() const { return "sqlite:///" + (folder_ / "queue.db").string(); }
  Client client_;
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

Server server(const Client& client, const std::string& url) {
  (void)folder_of(url);
  const auto raw = client.raw("sqlite:///:memory:");
  return {.instance = client.driver + "_sqlite",
          .version = "sqlite " + raw->execute("SELECT sqlite_version()").at(0).at(0),
          .texts = texts(),
          .limits = client.limits ? client.limits(url) : Limits{}};
}

void check(const std::string& url) {
  const auto folder = folder_of(url);
  if (!std::filesystem::is_directory(folder) || ::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw RawError{folder.string() + " is not a folder that may be written to"};
  }
}

}  // namespace

Pair sqlite_with(const Client& client) {
  return {.name = client.driver + "_sqlite",
          .schemes = schemes(client, {"sqlite"}),
          .variables = {},
          .fallback = "sqlite:///" + std::filesystem::temp_directory_path().string(),
          .server = [client](const std::string& url) { return server(client, url); },
          .check = check,
          .place =
              [client](const std::string& url, const std::string& name) {
                return std::make_unique<File>(client, folder_of(url), name);
              }};
}

}  // namespace tq::conformance
