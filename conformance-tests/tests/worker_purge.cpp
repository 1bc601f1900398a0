// OPS-1 as running workers keep it: what is old of their queues goes, and nothing else.
#include <atomic>
#include <mutex>
#include <thread>

#include "watched.hpp"
#include "worker_test.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

// A worker's connections. Its reaper and its purger are due with each look of its keeper.
class Looks {
 public:
  Looks(const Place& place, const Queue& queue)
      : place_(place),
        reap_(queue.dialect().expired.steps.front().id()),
        purge_(queue.dialect().purge.steps.front().id()) {}

  std::unique_ptr<Connection> open() {
    auto connection = std::make_unique<Watched>(place_.open());
    connection->before_run = [this](const Statement& statement, std::span<const Argument> /*a*/) {
      if (statement.id() == reap_) ++reaps;
      if (statement.id() != purge_) return;
      ++purges;
      if (denied) throw Error{Errc::denied, "revoked"};
      if (busy.exchange(false)) throw Error{Errc::busy, "locked"};
      std::this_thread::sleep_for(slowness.load());
    };
    return connection;
  }
  // Until the keeper has looked so many times more.
  [[nodiscard]] bool passed(int looks) const {
    return eventually([this, until = reaps + looks] { return reaps >= until; });
  }

  [[nodiscard]] bool purged_more(int steps) const {
    return eventually([this, until = purges + steps] { return purges >= until; });
  }

  std::atomic<int> reaps = 0;
  std::atomic<int> purges = 0;
  std::atomic<bool> denied = false;
  std::atomic<bool> busy = false;  // once
  std::atomic<Duration> slowness{Duration{0}};

 private:
  const Place& place_;
  std::uint64_t reap_;
  std::uint64_t purge_;
};

class Purging : public WorkerTest {
 protected:
  using Kind = WorkerEvent::Kind;

  [[nodiscard]] WorkerOptions purging() {
    auto options = staying();
    options.lease = 1s;
    options.reap_every = 1ms;
    options.purge_every = 1ms;
    options.on_event = [this](const WorkerEvent& event) {
      const std::lock_guard lock{mutex_};
      ++events_[event.kind];
      if (event.kind == Kind::purged) purged_ += event.count;
    };
    return options;
  }
  [[nodiscard]] Worker worker(Looks& looks, const WorkerOptions& options) const {
    Worker one{queue(), [&looks] { return looks.open(); }, options};
    one.on_any([](const Job& /*job*/, Context& /*context*/) {});
    return one;
  }
  [[nodiscard]] int events(Kind kind) {
    const std::lock_guard lock{mutex_};
    return events_[kind];
  }
  [[nodiscard]] std::size_t purged() {
    const std::lock_guard lock{mutex_};
    return purged_;
  }

  // A job of that queue that is finished.
  [[nodiscard]] JobId finished(State state, const std::string& queue = "q") const {
    auto each = job();
    each.queue = queue;
    const auto id = add(each);
    if (state == State::cancelled) {
      EXPECT_EQ(this->queue().cancel(db(), std::vector{id}).at(0), Cancelled::cancelled);
      return id;
    }
    const auto held = this->queue().claim(db(), {.queue = queue, .worker = "w"}).at(0);
    if (state == State::dead) {
      const Failure never{.error = "bad", .then = Failure::Then::dead};
      EXPECT_EQ(this->queue().fail(db(), held.lease(), never), Finish::done);
    } else {
      EXPECT_EQ(this->queue().complete(db(), held.lease()), Finish::done);
    }
    return id;
  }
  // The same, eight days ago.
  [[nodiscard]] JobId old(State state, const std::string& queue = "q") const {
    const auto id = finished(state, queue);
    move_back(id, "finished_at", 24h * 8);
    return id;
  }
  // So many jobs that succeeded eight days ago.
  void many_old(std::size_t n) const {
    add(n);
    app().execute("UPDATE " + place().table("tq_job") + " SET state = 'succeeded', finished_at = " +
                  texts().earlier("created_at", 24h * 8));
  }
  [[nodiscard]] bool is_there(JobId id) const { return !queue().find(db(), id.text()).empty(); }
  [[nodiscard]] bool gone(JobId id) const {
    return eventually([this, id] { return !is_there(id); });
  }

 private:
  std::mutex mutex_;
  std::map<Kind, int> events_;
  std::size_t purged_ = 0;
};
INSTANTIATE_TEST_SUITE_P(, Purging, ::testing::ValuesIn(servers()), instance_name);

TEST_P(Purging, OPS_1_WorkersPurgeWhatIsOldOfTheirQueues) {
  const auto succeeded = old(State::succeeded);
  const auto cancelled = old(State::cancelled);
  const auto second = old(State::succeeded, "q2");
  const std::vector kept{old(State::dead), old(State::succeeded, "other"),
                         finished(State::succeeded), finished(State::cancelled), add()};
  queue().pause(db(), "q");
  auto options = purging();
  options.queues = {{"q"}, {"q2"}};
  Looks looks{place(), queue()};
  auto one = worker(looks, options);
  while_running(one, [&] {
    EXPECT_TRUE(gone(succeeded));
    EXPECT_TRUE(gone(cancelled));
    EXPECT_TRUE(gone(second));
    EXPECT_TRUE(looks.purged_more(8)) << "a whole round more";
  });
  for (const auto id : kept) EXPECT_TRUE(is_there(id)) << id.text();
  EXPECT_EQ(count("tq_failure"), 1) << "that of the dead job";
  EXPECT_EQ(purged(), 3U);
}

TEST_P(Purging, OPS_1_WorkerThatIsNotToPurgeDeletesNothing) {
  const auto id = old(State::succeeded);
  auto options = purging();
  options.purge_after = 0s;
  Looks looks{place(), queue()};
  auto one = worker(looks, options);
  while_running(one, [&] { EXPECT_TRUE(looks.passed(3)); });
  EXPECT_EQ(looks.purges, 0);
  EXPECT_TRUE(is_there(id));
}

TEST_P(Purging, OPS_1_AgesAndPausesOutOfRangeAreRefused) {
  const auto refusal = [this](Duration after, Duration every) {
    auto options = purging();
    options.purge_after = after;
    options.purge_every = every;
    Looks looks{place(), queue()};
    return error_of([&] { (void)worker(looks, options); });
  };
  for (const auto after : {Duration{-1}, Duration{24h * 36'501}}) {
    EXPECT_EQ(refusal(after, 1s).code(), Errc::invalid_argument);
    EXPECT_TRUE(std::string{refusal(after, 1s).what()}.starts_with("purge_after: is "));
  }
  EXPECT_STREQ(refusal(0s, 0s).what(), "purge_every: is 0s; it must be 1ms to 1d");
}

TEST_P(Purging, OPS_1_WorkersPurgeByTheAgeThatTheyAreGiven) {
  const auto older = finished(State::succeeded);
  const auto younger = finished(State::succeeded);
  move_back(older, "finished_at", 3h);
  move_back(younger, "finished_at", 1h);
  auto options = purging();
  options.purge_after = 2h;
  Looks looks{place(), queue()};
  auto one = worker(looks, options);
  while_running(one, [&] {
    EXPECT_TRUE(gone(older));
    EXPECT_TRUE(looks.purged_more(4)) << "a whole round more";
  });
  EXPECT_TRUE(is_there(younger));
}

TEST_P(Purging, OPS_1_LSE_1_HeartbeatsHaveTheirTurnBetweenBatches) {
  constexpr std::size_t all = 3000;
  many_old(all);
  const auto id = add();
  auto options = purging();
  options.purge_every = 500ms;
  Looks looks{place(), queue()};
  looks.slowness = 250ms;
  Worker one{queue(), [&] { return looks.open(); }, options};
  std::atomic<bool> ended = false;
  one.on_any([&](const Job& /*job*/, Context& context) {
    std::this_thread::sleep_for(2s);  // twice the lease
    EXPECT_TRUE(eventually([&] { return looks.purges >= 4; }));
    EXPECT_FALSE(context.stop_token().stop_requested());
    ended = true;
  });
  while_running(one, [&] {
    EXPECT_TRUE(eventually([&] { return ended.load(); }));
    EXPECT_GT(count("tq_job"), static_cast<std::int64_t>(all) - 100) << "slow batches were large";
    looks.slowness = Duration{0};
    EXPECT_TRUE(eventually([&] { return count("tq_job") == 1; }));
  });
  EXPECT_EQ(row(id).attempts, 1);
  EXPECT_EQ(purged(), all);
}

TEST_P(Purging, OPS_1_FLT_1_PurgeThatIsDeniedIsReportedOnceAndNotTriedAgain) {
  const auto id = old(State::succeeded);
  Looks looks{place(), queue()};
  looks.denied = true;
  auto one = worker(looks, purging());
  while_running(one, [&] {
    EXPECT_TRUE(eventually([&] { return looks.purges > 0; }));
    looks.denied = false;
    EXPECT_TRUE(looks.passed(3));
    const auto next = add();
    EXPECT_TRUE(eventually([&] { return state(next) == State::succeeded; }));
  });
  EXPECT_EQ(looks.purges, 1);
  EXPECT_EQ(events(Kind::purge_refused), 1);
  EXPECT_EQ(events(Kind::refused), 0);
  EXPECT_TRUE(is_there(id));
}

TEST_P(Purging, OPS_1_FLT_1_PurgeThatWasAllowedOnceIsTriedAgain) {
  const auto first = old(State::succeeded);
  const auto second = finished(State::succeeded);
  Looks looks{place(), queue()};
  auto one = worker(looks, purging());
  while_running(one, [&] {
    EXPECT_TRUE(gone(first));
    EXPECT_TRUE(looks.purged_more(2)) << "by then it knows";
    looks.denied = true;
    EXPECT_TRUE(eventually([&] { return events(Kind::refused) > 0; }));
    move_back(second, "finished_at", 24h * 8);
    looks.denied = false;
    EXPECT_TRUE(gone(second));
  });
  EXPECT_EQ(events(Kind::purge_refused), 0);
}

TEST_P(Purging, OPS_1_FLT_1_PurgeThatWasBusyIsTriedAgain) {
  const auto id = old(State::succeeded);
  Looks looks{place(), queue()};
  looks.busy = true;
  auto one = worker(looks, purging());
  while_running(one, [&] { EXPECT_TRUE(gone(id)); });
  EXPECT_FALSE(looks.busy);
  EXPECT_GE(events(Kind::retried), 1);
  EXPECT_EQ(events(Kind::refused) + events(Kind::purge_refused), 0);
}

TEST_P(Purging, OPS_1_LSE_5_NoPurgeBeginsOnceAWorkerIsToStop) {
  add();
  std::atomic<bool> running = false;
  std::atomic<bool> release = false;
  Looks looks{place(), queue()};
  Worker one{queue(), [&] { return looks.open(); }, purging()};
  one.on_any([&](const Job& /*job*/, Context& /*context*/) {
    running = true;
    EXPECT_TRUE(eventually([&] { return release.load(); }));
  });
  std::jthread thread{[&](const std::stop_token& stop) { one.run(stop); }};
  EXPECT_TRUE(eventually([&] { return running && looks.purges > 0; }));
  thread.request_stop();
  EXPECT_TRUE(looks.passed(1));
  const int purges = looks.purges;
  EXPECT_TRUE(looks.passed(3));
  EXPECT_EQ(looks.purges, purges);
  release = true;
}

}  // namespace
}  // namespace tq::conformance
