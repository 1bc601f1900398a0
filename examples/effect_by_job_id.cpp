// An effect outside of the database that happens once: the job's id is the idempotency key. Here a
// worker is killed after it has charged a card and before its job is completed.
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string>

#include "own_database.hpp"
#include "tq/queue.hpp"
#include "tq/schema.hpp"
#include "tq/sqlite.hpp"
#include "tq/sqlite3.hpp"
#include "tq/worker.hpp"

using namespace std::chrono_literals;

namespace {

// Stands for a payment service somewhere else, with data of its own: it charges a key once.
class PaymentService {
 public:
  explicit PaymentService(std::string file) : file_(std::move(file)) {
    run(open().get(), "CREATE TABLE IF NOT EXISTS request (key TEXT NOT NULL)");
    run(open().get(), "CREATE TABLE IF NOT EXISTS charge (key TEXT PRIMARY KEY, cents INTEGER)");
  }
  void charge(const std::string& idempotency_key, int cents) {
    const auto own = open();
    run(own.get(), "INSERT INTO request VALUES (?1)", {idempotency_key});
    run(own.get(), "INSERT INTO charge VALUES (?1, ?2) ON CONFLICT (key) DO NOTHING",
        {idempotency_key, std::to_string(cents)});
  }
  std::string requests() { return run(open().get(), "SELECT count(*) FROM request"); }
  std::string charges() { return run(open().get(), "SELECT count(*) FROM charge"); }

 private:
  OwnDatabase open() { return open_own(file_.c_str()); }
  std::string file_;
};

// [quote]
void charge_card(PaymentService& payments, const tq::Job& job) {
  // The id is the same at every attempt. The generation is another each time, so it is no key.
  payments.charge(job.job_id.text(), 1250);
}  // a worker that dies here has charged, and its job is tried again: with the same key
// [/quote]

void work(const tq::Queue& queue, const std::string& file, const tq::Handler& handler) {
  tq::Worker worker{queue,
                    [&] { return tq::SqliteConnection::open(file, queue.dialect().session); },
                    {.queues = {{"billing"}}, .lease = 1s, .reap_every = 100ms, .drain = true}};
  worker.on("charge", handler);
  worker.run({});
}

// Runs the worker in a process of its own. Returns the signal that killed it, or 0.
int in_another_process(const std::function<void()>& worker) {
  const pid_t child = fork();  // no connection is open here, since none may be carried over
  if (child == 0) {
    worker();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

bool run_in(const std::filesystem::path& folder) {
  const auto file = (folder / "shop.db").string();
  PaymentService payments{(folder / "elsewhere.db").string()};
  const tq::Queue queue{tq::sqlite(), {.backoff = {.base = 10ms}}};
  const auto open = [&] { return tq::SqliteConnection::open(file); };
  tq::install_schema(*open(), queue.dialect());
  const auto job = queue.enqueue(*open(), {.queue = "billing", .kind = "charge"}).job_id;

  const int signal = in_another_process([&] {
    work(queue, file, [&](const tq::Job& claimed, tq::Context&) {
      charge_card(payments, claimed);
      kill(getpid(), SIGKILL);
    });
  });
  work(queue, file, [&](const tq::Job& claimed, tq::Context&) { charge_card(payments, claimed); });

  const auto row = queue.find(*open(), job.text()).at(0);
  std::cout << tq::name(row.state) << " after " << row.attempts
            << " attempts; requests: " << payments.requests() << ", charges: " << payments.charges()
            << '\n';
  return signal == SIGKILL && row.state == tq::State::succeeded && row.attempts == 2 &&
         payments.requests() == "2" && payments.charges() == "1";
}

}  // namespace

int main() try {
  const auto folder =
      std::filesystem::temp_directory_path() / ("tq-effect-" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const bool as_promised = run_in(folder);
  std::filesystem::remove_all(folder);
  return as_promised ? 0 : 1;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
