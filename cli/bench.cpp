#include "bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "bench_process.hpp"
#include "bench_side.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "signals.hpp"
#include "tables.hpp"
#include "tq/error.hpp"
#include "tq/schema.hpp"
#include "url.hpp"
#include "usage_error.hpp"
#include "wire.hpp"

namespace tq::cli {
namespace {

constexpr const char* examples =
    "  tq bench drain --jobs 5000\n"
    "  tq bench enqueue-one --connections 16 --jobs 2000\n"
    "  tq bench latency --jobs 50 --no-wake-up --json\n\n";

constexpr const char* more_help =
    "It works in a schema of its own, for SQLite in a file beside the one that is named, and\n"
    "removes it when it ends, also when it is interrupted. Other tables are not touched, but the\n"
    "server is kept busy. Figures are of this server and this machine: they compare with one\n"
    "another, not with those of other machines.\n\n"
    "Each run counts jobs lost (stored and not completed), doubled (handed out twice) and stale\n"
    "(a completion refused). Exit code 1 if there are any.";

std::string list_of_workloads() {
  std::string text = "Workloads:\n";
  for (const auto& workload : bench::all_workloads()) {
    text += fmt::format("  {:<13} {}\n", workload.name, workload.text);
  }
  return text + "\n";
}

const bench::Workload& find_workload(const std::string& name) {
  const auto& all = bench::all_workloads();
  const auto found = std::ranges::find(all, name, &bench::Workload::name);
  if (found != all.end()) return *found;
  throw UsageError{fmt::format("there is no workload '{}'.\n{}", name, list_of_workloads())};
}

/// Where one run works: a schema, or for SQLite a file.
class BenchPlace {
 public:
  BenchPlace(const Session& session, const std::string& name) : name_(name) {
    const auto& url = session.urls.front();
    const Url parts = parse_url(url);
    if (!parts.schema.empty()) {
      throw UsageError{"tq_schema has no effect: bench makes a schema of its own; leave it out"};
    }
    Session own = session;
    if (parts.dialect == "sqlite") {
      const auto query = std::min(url.find('?'), url.size());
      own.urls = {url.substr(0, query) + "." + name + url.substr(query)};
      file_ = file_of(own.urls.front());
    } else {
      own.urls = {with_parameter(url, "tq_schema", name)};
    }
    driver_url_ = parse_url(own.urls.front()).text();
    database_ = own.database(Access::create);
    if (file_.empty()) bench::check_can_be_made(database_->queue.dialect());
  }
  [[nodiscard]] const Database& database() const { return *database_; }
  /// As a client library takes it.
  [[nodiscard]] std::string url() const { return driver_url_; }
  void install() const { install_schema(*database_->connect(), database_->queue.dialect()); }
  void remove() const {
    if (file_.empty()) {
      bench::remove_tables(*database_->connect(), name_);
      return;
    }
    for (const auto* ending : {"", "-wal", "-shm", "-journal"}) {
      std::filesystem::remove(file_ + ending);
    }
  }

 private:
  static std::string file_of(const std::string& url) {
    const auto begin = url.find("://") + 4;  // a third slash ends the empty host
    return percent_decoded(url.substr(begin, url.find('?') - begin));
  }

  std::string name_;
  std::string file_;
  std::string driver_url_;
  std::optional<Database> database_;
};

class Bench final : public Command {
 public:
  explicit Bench(HandsMaker hands) : hands_(std::move(hands)) {}

  CLI::App* describe(CLI::App& tq) override {
    CLI::App* app = add_command(tq, "bench", "Measure this program on your own server", group::look,
                                examples + list_of_workloads() + more_help);
    app->add_option("WORKLOAD", workload_, "What to measure")->required();
    add_number(*app, "--jobs", 0, {1, 10'000'000}, "How many jobs (default: by the workload)",
               [this](std::int64_t given) { jobs_ = given; });
    add_number(*app, "--connections", size_.connections, {1, 100},
               "Connections of enqueue-one, enqueue-bulk, drain-one, steady");
    add_number(*app, "--processes", size_.processes, {1, 64}, "Worker processes of drain");
    add_number(*app, "--threads", size_.threads, {1, 1000}, "Handlers of each worker process");
    add_number(*app, "--payload", size_.payload, {2, 1 << 20}, "Bytes of each payload");
    add_number(*app, "--seconds", 0, {1, 3600}, "How long (steady, snapshot)",
               [this](std::int64_t given) { seconds_ = given; });
    app->add_flag("--no-wake-up", no_wake_up_, "Workers poll only");
    return app;
  }

  Exit run(Session& session) override {
    const auto& workload = find_workload(workload_);
    static_cast<void>(session.database());  // exactly one
    const auto role = bench_role();
    if (role.place.empty()) return supervise(session);
    const BenchPlace place{session, role.place};
    if (role.task) return work(place, *role.task);
    return measure(session, workload, place);
  }

 private:
  // The run is a child, so that whatever becomes of it, its tables are removed.
  static Exit supervise(const Session& session) {
    const auto name = bench::new_place_name();
    const BenchPlace place{session, name};
    const BenchPlace other{session, bench::beside(name)};
    static_cast<void>(place.database().connect());  // says at once what is wrong with the URL
    int code = 0;
    {
      const auto child = start_bench_run(name);
      const StopSignals signals{[&](int, int) { child->stop(); }};
      code = child->wait();
    }
    place.remove();
    other.remove();
    return code > 4 ? Exit::failed : static_cast<Exit>(code);
  }

  static Exit work(const BenchPlace& place, const bench::WorkerTask& task) {
    const auto& database = place.database();
    Output out;
    const auto ready = [&out] {
      out.line(bench_ready);
      out.flush();
    };
    out.line(bench::to_json(bench::run_worker(database.queue, database.connect, task, ready)));
    out.flush();
    return Exit::done;
  }

  Exit measure(Session& session, const bench::Workload& workload, const BenchPlace& place) {
    bench::Size size = size_;
    size.jobs = jobs_ > 0 ? static_cast<std::size_t>(jobs_) : workload.usual.jobs;
    size.seconds = seconds_ > 0 ? static_cast<int>(seconds_) : workload.usual.seconds;
    size.wake_up = !no_wake_up_;
    std::optional<BenchPlace> other;
    std::optional<bench::Target> other_target;
    bench::Target target = target_of(place, bench_role().place);
    target.another = [&]() -> const bench::Target& {
      const auto name = bench::beside(bench_role().place);
      other.emplace(session, name);
      return other_target.emplace(target_of(*other, name));
    };
    auto result = workload.run(target, size);
    result.workload = workload.name;
    const auto connection = target.connect();
    print(session, result, bench::durability(*connection, target.queue.dialect()));
    return result.lost == 0 && result.doubled == 0 && result.stale == 0 ? Exit::done : Exit::failed;
  }

  bench::Target target_of(const BenchPlace& place, const std::string& name) const {
    place.install();
    const auto& database = place.database();
    bench::Target target{.queue = database.queue, .connect = database.connect, .hands = {}};
    if (hands_) {
      target.hands = [make = hands_, dialect = database.queue.dialect(), url = place.url()](
                         const bench::Size& size) { return make(dialect, url, size); };
    } else {
      target.hands = [database](const bench::Size& size) {
        return bench::library_hands(database.queue, database.connect, size);
      };
      target.start_worker = [name](const bench::WorkerTask& task) {
        return start_bench_worker(name, task);
      };
    }
    return target;
  }

  static void print(Session& session, const bench::Result& result, const std::string& durability) {
    if (session.json) {
      session.out.line(bench::to_json(result, {{"durability", durability}}));
      return;
    }
    session.out.line(fmt::format("{:<13} {:.4g} {}", result.workload, result.value, result.unit));
    for (const auto& figure : result.more) {
      session.out.line(fmt::format("  {:.4g} {}", figure.value, figure.name));
    }
    session.out.line(fmt::format("  {} jobs: {} lost, {} doubled, {} stale", result.jobs,
                                 result.lost, result.doubled, result.stale));
    if (!durability.empty()) session.out.line("  " + durability);
  }

  HandsMaker hands_;  // empty: the library's
  std::string workload_;
  bench::Size size_;
  std::int64_t jobs_ = 0;
  std::int64_t seconds_ = 0;
  bool no_wake_up_ = false;
};

}  // namespace

std::unique_ptr<Command> make_bench() { return std::make_unique<Bench>(HandsMaker{}); }

std::unique_ptr<Command> make_bench(HandsMaker hands) {
  return std::make_unique<Bench>(std::move(hands));
}

}  // namespace tq::cli
