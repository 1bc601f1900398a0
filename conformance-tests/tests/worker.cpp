// The worker runtime: CLM-9, LSE-5, and the other clauses as a running worker keeps them.
#include "tq/worker.hpp"

#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "clock_shift.hpp"
#include "fixture.hpp"
#include "watched.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class Working : public PairTest {
 protected:
  // Works on "q" until it is empty.
  [[nodiscard]] static WorkerOptions draining() {
    return {.queues = {{"q"}}, .name = "w", .threads = 2, .max_poll = 50ms, .drain = true};
  }
  [[nodiscard]] static WorkerOptions staying() {
    auto options = draining();
    options.drain = false;
    return options;
  }
  [[nodiscard]] Worker worker(WorkerOptions options) const {
    return Worker{queue(), [this] { return place().open(); }, std::move(options)};
  }
  // Runs it in a thread, until `body` returns.
  static void while_running(Worker& worker, const std::function<void()>& body) {
    std::jthread thread{[&](const std::stop_token& stop) {
      try {
        worker.run(stop);
      } catch (const std::exception& error) {
        ADD_FAILURE() << "the worker ended: " << error.what();
      }
    }};
    body();
  }
};
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
  const auto first = std::span{order}.first(40);
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
  one.on("throws", [](const Job& /*job*/, Context& /*context*/) {
    throw std::runtime_error{"thrown"};
  });
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

// Opens connections on which the first claim's answer arrives when most of its lease is over.
class SlowFirstClaim {
 public:
  SlowFirstClaim(const Place& place, Duration delay) : place_(place), delay_(delay) {}
  std::unique_ptr<Connection> open() {
    auto connection = std::make_unique<Watched>(place_.open());
    auto* watched = connection.get();
    watched->before_run = [this](const Statement& statement, std::span<const Argument> /*args*/) {
      claiming_ = claiming_ || statement.name().starts_with("claim_pick");
    };
    watched->after_commit = [this] {
      if (claiming_ && !done_.exchange(true)) std::this_thread::sleep_for(delay_);
    };
    return connection;
  }

 private:
  const Place& place_;
  Duration delay_;
  std::atomic<bool> claiming_ = false;
  std::atomic<bool> done_ = false;
};

TEST_P(Working, LSE_5_JobWithTooLittleLeaseLeftIsGivenBackUnstarted) {
  auto once = job();
  once.max_attempts = 1;
  const auto id = add(once);
  SlowFirstClaim slow{place(), 950ms};
  auto options = draining();
  options.lease = 1s;
  options.reap_every = 0s;
  Worker one{queue(), [&] { return slow.open(); }, options};
  std::vector<std::int64_t> generations;
  one.on_any([&](const Job& job, Context& /*context*/) { generations.push_back(job.generation); });
  std::jthread thread{[&](const std::stop_token& stop) { one.run(stop); }};
  // Whether the lease was still long enough to give the job back, the database decides.
  EXPECT_TRUE(eventually([&] {
    (void)queue().reap(db());
    const auto stored = row(id);
    return stored.state == State::succeeded || stored.state == State::dead;
  }));
  thread.request_stop();
  thread.join();
  if (state(id) == State::succeeded) {
    EXPECT_EQ(generations, std::vector<std::int64_t>{2});
    EXPECT_EQ(row(id).max_attempts, 2);
  } else {
    EXPECT_TRUE(generations.empty());
  }
  EXPECT_TRUE(queue().failures(db(), id).empty() || state(id) == State::dead);
}

TEST_P(Working, LSE_5_NoHandlerStartsBehindASlowOneWithoutALease) {
  add(12);
  auto options = draining();
  options.lease = 1s;
  options.threads = 1;
  std::atomic<int> started = 0;
  auto one = worker(options);
  one.on_any([&](const Job& job, Context& /*context*/) {
    const auto other = place().open();
    const auto left = queue().find(*other, job.job_id.text()).at(0).lease_until.value() -
                      queue().now(*other);
    EXPECT_GT(left, Duration{0});
    std::this_thread::sleep_for(++started == 6 ? 1100ms : 5ms);
  });
  one.run({});
  EXPECT_EQ(count("tq_job", "state = 'succeeded' AND max_attempts - attempts = 2"), 12);
}

TEST_P(Working, LSE_5_StoppedWorkerGivesBackWhatHasNotStarted) {
  const auto jobs = add(6);
  auto options = staying();
  options.threads = 1;
  std::atomic<int> started = 0;
  std::atomic<bool> release = false;
  auto one = worker(options);
  one.on_any([&](const Job& /*job*/, Context& /*context*/) {
    EXPECT_TRUE(++started == 1 || eventually([&] { return release.load(); }));
  });
  std::jthread thread{[&](const std::stop_token& stop) { one.run(stop); }};
  ASSERT_TRUE(eventually([&] { return started == 2; }));
  thread.request_stop();
  std::this_thread::sleep_for(50ms);
  release = true;
  thread.join();
  EXPECT_EQ(started, 2);
  EXPECT_EQ(count("tq_job", "state = 'succeeded'"), 2);
  EXPECT_EQ(count("tq_job", "state = 'ready' AND max_attempts - attempts = 3"), 4);
  EXPECT_EQ(count("tq_failure"), 0);
}

TEST_P(Working, LSE_5_HandlerIsToldWhenTheGraceTimeIsOver) {
  const auto id = add();
  auto options = staying();
  options.grace = 100ms;
  std::atomic<bool> running = false;
  auto one = worker(options);
  one.on_any([&](const Job& /*job*/, Context& context) {
    running = true;
    EXPECT_TRUE(eventually([&] { return context.stop_token().stop_requested(); }, 10s));
    throw std::runtime_error{"interrupted"};
  });
  std::jthread thread{[&](const std::stop_token& stop) { one.run(stop); }};
  ASSERT_TRUE(eventually([&] { return running.load(); }));
  thread.request_stop();
  thread.join();
  EXPECT_EQ(state(id), State::ready);
  EXPECT_EQ(row(id).last_outcome, "released");
  EXPECT_EQ(row(id).max_attempts - row(id).attempts, 3);
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

TEST_P(Working, ENQ_1_AnnouncedJobStartsLongBeforeTheNextPoll) {
  auto options = staying();
  options.max_poll = 10min;
  std::atomic<int> handled = 0;
  auto one = worker(options);
  one.on_any([&](const Job& /*job*/, Context& /*context*/) { ++handled; });
  if (!facts().announces) {
    options.max_poll = 100ms;
    auto polling = worker(options);
    polling.on_any([&](const Job& /*job*/, Context& /*context*/) { ++handled; });
    weaker("ENQ-1", "no announcements: a job is found by the next poll");
    while_running(polling, [&] {
      add();
      EXPECT_TRUE(eventually([&] { return handled == 1; }));
    });
    return;
  }
  while_running(one, [&] {
    for (int i = 1; i <= 3; ++i) {
      std::this_thread::sleep_for(300ms);  // Idle, and its next look is minutes away.
      const auto borrowed = app().borrow();
      app().execute(texts().begin);
      queue().enqueue(*borrowed, job());
      app().execute(texts().commit);
      EXPECT_TRUE(eventually([&] { return handled == i; }, 8s)) << "job " << i;
    }
  });
}

}  // namespace
}  // namespace tq::conformance
