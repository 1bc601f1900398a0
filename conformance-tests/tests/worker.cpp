// The worker runtime: CLM-9, and the other clauses as a running worker keeps them.
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "clock_shift.hpp"
#include "watched.hpp"
#include "worker_test.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class Working : public WorkerTest {};
INSTANTIATE_TEST_SUITE_P(, Working, ::testing::ValuesIn(servers()), instance_name);

TEST_P(Working, CLM_1_FIN_1_EveryJobIsHandledOnceByManyWorkers) {
  constexpr std::size_t jobs = 300;
  add(jobs);
  std::mutex mutex;
  std::multiset<JobId> handled;
  at_once(3, [&](std::size_t i) {
    auto options = draining();
    options.name = "w" + std::to_string(i);
    auto each = worker(options);
    each.on("k", [&](const Job& job, Context& /*context*/) {
      const std::lock_guard lock{mutex};
      handled.insert(job.job_id);
    });
    each.run({});
  });
  EXPECT_EQ(handled.size(), jobs);
  EXPECT_EQ((std::set<JobId>{handled.begin(), handled.end()}.size()), jobs);
  EXPECT_EQ(count("tq_job", "state = 'succeeded' AND attempts = 1"), static_cast<int>(jobs));
}

TEST_P(Working, CLM_9_JobOfAnUnknownKindFailsWithThatReason) {
  auto strange = job();
  strange.kind = "strange kind";
  strange.max_attempts = 1;
  const auto id = add(strange);
  const auto known = add();
  auto one = worker(draining());
  one.on("k", [](const Job& /*job*/, Context& /*context*/) {});
  one.run({});
  EXPECT_EQ(state(id), State::dead);
  EXPECT_NE(row(id).last_error.value().find("strange kind"), std::string::npos);
  EXPECT_EQ(state(known), State::succeeded);
}

TEST_P(Working, CLM_9_QueuesTakeTurnsByWeight) {
  constexpr std::size_t each = 60;
  for (const std::string name : {"light", "heavy"}) {
    auto of_queue = job();
    of_queue.queue = name;
    add(each, of_queue);
  }
  auto options = draining();
  options.queues = {{"light", 1}, {"heavy", 3}};
  options.threads = 1;
  std::vector<std::string> order;
  auto one = worker(options);
  one.on_any([&](const Job& job, Context& /*context*/) {
    order.push_back(job.queue);
    std::this_thread::sleep_for(5ms);
  });
  one.run({});
  ASSERT_EQ(order.size(), 2 * each);
  // By then either has jobs left, and the lighter has had at most one claim more than its share.
  const auto first = std::span{order}.first(80);
  EXPECT_GT(std::ranges::count(first, "heavy"), std::ranges::count(first, "light"));
  EXPECT_GT(std::ranges::count(first, "light"), 0) << "the lighter queue starves";
}

TEST_P(Working, FIN_6_WhatAHandlerSaysIsDone) {
  std::map<std::string, JobId> jobs;
  for (const std::string kind : {"returns", "throws", "snoozes", "rejects", "retries"}) {
    auto each = job();
    each.kind = kind;
    jobs[kind] = add(each);
  }
  auto one = worker(staying());
  one.on("returns", [](const Job& /*job*/, Context& /*context*/) {});
  one.on("throws",
         [](const Job& /*job*/, Context& /*context*/) { throw std::runtime_error{"thrown"}; });
  one.on("snoozes", [](const Job& /*job*/, Context& context) { context.snooze(1h); });
  one.on("rejects", [](const Job& /*job*/, Context& context) { context.reject("no use"); });
  one.on("retries", [](const Job& /*job*/, Context& context) { context.retry("later", 2h); });
  while_running(one, [&] {
    EXPECT_TRUE(eventually([&] { return count("tq_job", "last_outcome IS NOT NULL") == 5; }));
  });
  EXPECT_EQ(state(jobs["returns"]), State::succeeded);
  EXPECT_EQ(state(jobs["throws"]), State::ready);
  EXPECT_EQ(row(jobs["throws"]).last_error, "thrown");
  EXPECT_EQ(row(jobs["snoozes"]).max_attempts, 4);
  EXPECT_EQ(state(jobs["snoozes"]), State::ready);
  EXPECT_EQ(state(jobs["rejects"]), State::dead);
  EXPECT_EQ(row(jobs["rejects"]).last_error, "no use");
  EXPECT_GT(row(jobs["retries"]).run_at, queue().now(db()) + 1h);
}

TEST_P(Working, LSE_1_HeartbeatKeepsALongJob) {
  const auto id = add();
  auto options = draining();
  options.lease = 1s;
  options.reap_every = 100ms;
  std::atomic<int> runs = 0;
  auto one = worker(options);
  one.on_any([&](const Job& /*job*/, Context& context) {
    ++runs;
    std::this_thread::sleep_for(1600ms);
    EXPECT_FALSE(context.stop_token().stop_requested());
  });
  one.run({});
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(state(id), State::succeeded);
  EXPECT_EQ(row(id).attempts, 1);
}

TEST_P(Working, LSE_3_FIN_2_LostLeaseStopsTheHandlerAndItsAnswer) {
  const auto id = add();
  auto options = staying();
  options.lease = 1s;
  options.reap_every = 0s;
  std::atomic<bool> running = false;
  std::atomic<bool> stopped = false;
  auto one = worker(options);
  one.on_any([&](const Job& /*job*/, Context& context) {
    running = true;
    stopped = eventually([&] { return context.stop_token().stop_requested(); }, 10s);
  });
  std::optional<Job> taken;
  while_running(one, [&] {
    ASSERT_TRUE(eventually([&] { return running.load(); }));
    queue().pause(db(), "q");  // Or the worker would claim it itself.
    end_lease(id);
    EXPECT_EQ(queue().reap(db()), 1U);
    EXPECT_TRUE(eventually([&] { return stopped.load(); }));
  });
  const auto stored = row(id);
  EXPECT_EQ(stored.state, State::ready);
  EXPECT_EQ(stored.last_outcome, "expired");
}

TEST_P(Working, OPS_3_CancelStopsTheHandler) {
  const auto id = add();
  auto options = staying();
  options.lease = 1s;
  std::atomic<bool> running = false;
  auto one = worker(options);
  one.on_any([&](const Job& /*job*/, Context& context) {
    running = true;
    EXPECT_TRUE(eventually([&] { return context.stop_token().stop_requested(); }, 10s));
    throw std::runtime_error{"stopped half way"};
  });
  while_running(one, [&] {
    ASSERT_TRUE(eventually([&] { return running.load(); }));
    EXPECT_EQ(queue().cancel(db(), std::vector{id}).at(0), Cancelled::requested);
    EXPECT_TRUE(eventually([&] { return state(id) == State::cancelled; }));
  });
}

TEST_P(Working, LSE_4_WorkerWithAWrongClockWorksAllTheSame) {
  for (const auto shift : {72h, -72h}) {
    const ClockShift wrong{shift};
    auto delayed = job();
    delayed.delay = 1h;
    const auto later = add(delayed);
    const auto jobs = add(5);
    auto one = worker(staying());
    one.on_any([](const Job& /*job*/, Context& context) {
      EXPECT_FALSE(context.stop_token().stop_requested());
    });
    while_running(one, [&] {
      EXPECT_TRUE(eventually([&] { return count("tq_job", "state = 'succeeded'") == 5; }));
    });
    EXPECT_EQ(state(later), State::ready);
    for (const auto id : jobs) EXPECT_EQ(row(id).attempts, 1);
    app().execute("DELETE FROM " + place().table("tq_job"));
  }
}

TEST_P(Working, REP_1_WorkersReapWhatOthersLeftBehind) {
  const auto id = add();
  (void)claim_one("dead worker");
  end_lease(id);
  auto options = staying();
  options.lease = 1s;
  options.reap_every = 100ms;
  std::atomic<std::size_t> reaped = 0;
  options.on_event = [&](const WorkerEvent& event) {
    if (event.kind == WorkerEvent::Kind::reaped) reaped += event.count;
  };
  auto one = worker(options);
  one.on_any([](const Job& /*job*/, Context& /*context*/) {});
  while_running(one, [&] {
    EXPECT_TRUE(eventually([&] { return state(id) == State::ready; }));
    move_back(id, "run_at", 1h);
    EXPECT_TRUE(eventually([&] { return state(id) == State::succeeded; }));
  });
  EXPECT_EQ(reaped, 1U);
  EXPECT_EQ(row(id).attempts, 2);
}

TEST_P(Working, GRP_1_GRP_2_GroupsRunInOrderOneAtATime) {
  std::map<std::string, std::vector<JobId>> expected;
  for (int i = 0; i < 60; ++i) {
    auto grouped = job();
    grouped.group_key = "g" + std::to_string(i % 4);
    expected[*grouped.group_key].push_back(add(grouped));
  }
  std::mutex mutex;
  std::map<std::string, std::vector<JobId>> ran;
  std::map<std::string, int> running;
  at_once(2, [&](std::size_t i) {
    auto options = draining();
    options.name = "w" + std::to_string(i);
    auto each = worker(options);
    each.on_any([&](const Job& job, Context& /*context*/) {
      {
        const std::lock_guard lock{mutex};
        EXPECT_EQ(++running[*job.group_key], 1);
        ran[*job.group_key].push_back(job.job_id);
      }
      std::this_thread::sleep_for(1ms);
      const std::lock_guard lock{mutex};
      --running[*job.group_key];
    });
    each.run({});
  });
  EXPECT_EQ(ran, expected);
}

// Tells how long the pauses between a worker's looks have grown.
class Looks {
 public:
  explicit Looks(const Place& place) : place_(place) {}
  std::unique_ptr<Connection> open() {
    auto connection = std::make_unique<Watched>(place_.open());
    connection->before_run = [this](const Statement& statement, std::span<const Argument> /*a*/) {
      // Of a claim in several steps, the one that answers.
      if (!statement.name().starts_with("claim_p") || statement.columns().empty()) return;
      const std::lock_guard lock{mutex_};
      const auto now = std::chrono::steady_clock::now();
      pause_ = now - last_;
      last_ = now;
    };
    return connection;
  }
  // The last look was just now, and the pause before it was as long as that.
  [[nodiscard]] bool just_looked_after(std::chrono::steady_clock::duration pause) const {
    const std::lock_guard lock{mutex_};
    return pause_ >= pause && std::chrono::steady_clock::now() - last_ < 50ms;
  }

 private:
  const Place& place_;
  mutable std::mutex mutex_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::duration pause_{};
};

TEST_P(Working, ENQ_1_AnnouncedJobStartsLongBeforeTheNextLook) {
  Looks looks{place()};
  auto options = staying();
  options.max_poll = 10min;  // Pauses double until then.
  std::atomic<int> handled = 0;
  Worker one{queue(), [&] { return looks.open(); }, options};
  one.on_any([&](const Job& /*job*/, Context& /*context*/) { ++handled; });
  const auto& silent = server().limits.announcements;
  const bool announced = facts().announces && silent.empty();
  EXPECT_TRUE(announced || db().wake_up() == nullptr);
  const auto borrowed = app().borrow();
  while_running(one, [&] {
    for (int i = 1; i <= (announced ? 2 : 1); ++i) {
      ASSERT_TRUE(eventually([&] { return looks.just_looked_after(600ms); }));
      app().execute(texts().begin);
      queue().enqueue(*borrowed, job());
      app().execute(texts().commit);
      // Without an announcement the next look is more than a second away.
      const bool soon = eventually([&] { return handled == i; }, 700ms);
      EXPECT_TRUE(soon || !announced) << "job " << i;
      EXPECT_TRUE(eventually([&] { return handled == i; }));
    }
  });
  if (!facts().announces) weaker("ENQ-1", "no announcements: a job is found by the next look");
  if (!silent.empty()) weaker("ENQ-1", silent);
}

TEST_P(Working, FLT_1_WorkerThatMayNotClaimEndsAtOnce) {
  const auto& writable = server().limits.session;
  if (!writable.empty()) return weaker("FLT-1", "no read-only session to try it in: " + writable);
  if (texts().read_only_session.empty()) return weaker("FLT-1", cannot_be_read_only);
  add();
  Worker one{queue(), [this] { return place().open({.session = {texts().read_only_session}}); },
             staying()};
  one.on_any([](const Job& /*job*/, Context& /*context*/) {});
  std::atomic<bool> ended = false;
  auto code = Errc::failed;
  std::jthread thread{[&](const std::stop_token& stop) {
    code = error_of([&] { one.run(stop); }).code();
    ended = true;
  }};
  EXPECT_TRUE(eventually([&] { return ended.load(); }));
  thread.request_stop();
  thread.join();
  EXPECT_EQ(code, texts().read_only_refusal) << name(code);
}

TEST_P(Working, FLT_1_WorkerThatMayNotClaimForAWhileGoesOn) {
  std::atomic<bool> denied = false;
  std::atomic<int> refused = 0;
  auto options = staying();
  options.on_event = [&](const WorkerEvent& event) {
    if (event.kind == WorkerEvent::Kind::refused) ++refused;
  };
  const auto open = [&] {
    auto connection = std::make_unique<Watched>(place().open());
    connection->before_run = [&](const Statement& statement, std::span<const Argument> /*a*/) {
      if (denied && statement.name().starts_with("claim")) throw Error{Errc::denied, "revoked"};
    };
    return connection;
  };
  Worker one{queue(), open, options};
  one.on_any([](const Job& /*job*/, Context& /*context*/) {});
  add();
  while_running(one, [&] {
    EXPECT_TRUE(eventually([&] { return count("tq_job", "state = 'succeeded'") == 1; }));
    denied = true;
    EXPECT_TRUE(eventually([&] { return refused > 0; }));
    add();
    denied = false;
    EXPECT_TRUE(eventually([&] { return count("tq_job", "state = 'succeeded'") == 2; }));
  });
}

}  // namespace
}  // namespace tq::conformance
