#include "drain_history.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>

#include "child.hpp"
#include "servers.hpp"
#include "tq/queue.hpp"

namespace tq::conformance {
namespace {

std::int64_t count(RawConnection& raw, const std::string& from) {
  return std::stoll(raw.execute("SELECT COUNT(*) FROM " + from).at(0).at(0));
}

// Every tenth job has a key that the sixth process will ask for.
void load_keyed(const Queue& queue, Connection& connection, const MixedLoad& load) {
  constexpr std::size_t batch = 10'000;
  std::size_t key = 0;
  for (std::size_t done = 0; done < load.jobs; done += batch) {
    std::vector<NewJob> jobs(std::min(batch, load.jobs - done), {.queue = "q", .kind = "k"});
    for (std::size_t i = 0; i < jobs.size(); i += 10) {
      jobs[i].unique_key = "held-" + std::to_string(key++);
    }
    queue.enqueue(connection, jobs);
  }
}

void print_repeats(const Server& server, RawConnection& raw, const Place& place) {
  const auto rows = raw.execute("SELECT note, COUNT(*) FROM " + place.table("tqc_row") +
                                " GROUP BY note ORDER BY note");
  std::cout << server.instance << ": " << (rows.empty() ? "no transaction was repeated" : "");
  for (const auto& row : rows) std::cout << row.at(0) << " " << row.at(1) << "; ";
  std::cout << '\n';
}

}  // namespace

void make_drain_tables(RawConnection& raw, const Place& place, const Texts& texts) {
  raw.execute(texts.history_table(place.table("tqc_history")));
  raw.execute("CREATE TABLE " + place.table("tqc_row") + " (note VARCHAR(100))");
}

DrainHistory::DrainHistory(RawConnection& raw, const Place& place) {
  for (const auto& row : raw.execute("SELECT job_id, group_key, event FROM " +
                                     place.table("tqc_history") + " ORDER BY seq")) {
    if (row.at(2) == "start") ++starts_[row.at(0)];
    if (row.at(1) != "(null)") groups_[row.at(1)].push_back({row.at(0), row.at(2)});
  }
}

void DrainHistory::expect_each_once(std::size_t jobs) const {
  EXPECT_EQ(starts_.size(), jobs);
  EXPECT_TRUE(std::ranges::all_of(starts_, [](const auto& job) { return job.second == 1; }));
}

void DrainHistory::expect_groups(
    const std::map<std::string, std::vector<std::string>>& expected) const {
  EXPECT_EQ(groups_.size(), expected.size());
  for (const auto& [group, jobs] : expected) {
    const auto& events = groups_.at(group);
    ASSERT_EQ(events.size(), 2 * jobs.size()) << group;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      EXPECT_EQ(events[2 * i].job_id, jobs[i]) << group;
      EXPECT_EQ(events[2 * i + 1].job_id, jobs[i]) << group;
      EXPECT_EQ(events[2 * i].event + events[2 * i + 1].event, "startend") << group;
    }
  }
}

void DrainHistory::expect_no_overlap() const {
  for (const auto& [group, events] : groups_) {
    ASSERT_EQ(events.size() % 2, 0U) << group;
    for (std::size_t i = 0; i < events.size(); i += 2) {
      EXPECT_EQ(events[i].event + events[i + 1].event, "startend") << group;
      EXPECT_EQ(events[i].job_id, events[i + 1].job_id) << group;
    }
  }
}

void expect_mixed_load_survived(const Server& server, const Place& place, const MixedLoad& load) {
  const Queue queue{place.dialect()};
  const auto connection = place.open();
  const auto raw = place.raw();
  make_drain_tables(*raw, place, server.texts);
  load_keyed(queue, *connection, load);
  std::vector<Child> children;
  const auto& texts = server.texts;
  children.push_back(
      start_child(server, place, "produce_in_snapshots",
                  {"q", std::to_string(load.produced), texts.begin_snapshot, texts.commit}));
  children.push_back(
      start_child(server, place, "collide",
                  {"q", std::to_string(load.collisions), texts.begin, texts.rollback}));
  constexpr int drainers = 4;
  for (int i = 0; i < drainers; ++i) children.push_back(start_child(server, place, "drain", {"q"}));
  for (auto& child : children) EXPECT_EQ(child.wait(), 0);
  // What was produced after the last of them had gone.
  EXPECT_EQ(start_child(server, place, "drain", {"q"}).wait(), 0);
  print_repeats(server, *raw, place);
  EXPECT_EQ(count(*raw, place.table("tq_job") + " WHERE state = 'succeeded'"),
            static_cast<std::int64_t>(load.jobs + load.produced));
  const DrainHistory history{*raw, place};
  history.expect_each_once(load.jobs + load.produced);
  history.expect_no_overlap();
  if (queue.dialect().facts.concurrent_writers) {
    EXPECT_EQ(count(*raw, place.table("tqc_row") + " WHERE note LIKE 'passed on%'"), 0);
  }
}

std::map<std::string, std::int64_t> expect_drained_by_every_driver(const Server& server,
                                                                   const Place& place,
                                                                   std::size_t jobs) {
  constexpr std::size_t batch = 10'000;
  const Queue queue{place.dialect()};
  const auto connection = place.open();
  const auto raw = place.raw();
  make_drain_tables(*raw, place, server.texts);
  for (std::size_t done = 0; done < jobs; done += batch) {
    queue.enqueue(*connection,
                  std::vector<NewJob>(std::min(batch, jobs - done), {.queue = "q", .kind = "k"}));
  }
  const bool plain = server.url.find('?') == std::string::npos;
  std::vector<Child> children;
  std::map<std::string, std::int64_t> shares;
  for (const auto& pair : plain ? pairs_beside(server.pair) : std::vector{server.pair}) {
    auto through = server;
    through.pair = pair;
    children.push_back(start_child(through, place, "drain", {"q", pair}));
    shares[pair] = 0;
  }
  for (auto& child : children) EXPECT_EQ(child.wait(), 0);
  DrainHistory{*raw, place}.expect_each_once(jobs);
  std::cout << server.instance << ":";
  for (const auto& row : raw->execute("SELECT last_worker, COUNT(*) FROM " + place.table("tq_job") +
                                      " WHERE state = 'succeeded' GROUP BY last_worker")) {
    shares.at(row.at(0)) = std::stoll(row.at(1));
    std::cout << ' ' << row.at(0) << ' ' << row.at(1);
  }
  std::cout << '\n';
  return shares;
}

}  // namespace tq::conformance
