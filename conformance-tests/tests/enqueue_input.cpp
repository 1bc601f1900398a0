// ENQ-7: bad input is refused before the database is asked.
#include "fixture.hpp"
#include "watched.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class EnqueueInput : public PairTest {};
INSTANTIATE_TEST_SUITE_P(, EnqueueInput, ::testing::ValuesIn(servers()), instance_name);

struct BadJob {
  std::string what;
  std::vector<std::string> named;  // what the message has to say
  NewJob job;
};

NewJob with(const std::function<void(NewJob&)>& change) {
  NewJob job{.queue = "q", .kind = "k"};
  change(job);
  return job;
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string out;
  while (times-- > 0) out += text;
  return out;
}

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

std::vector<BadJob> bad_names() {
  std::vector<BadJob> bad;
  const auto each_field = [&](const std::string& what, const std::string& limit,
                              const std::string& value) {
    bad.push_back({what, {"queue", limit}, with([&](NewJob& job) { job.queue = value; })});
    bad.push_back({what, {"kind", limit}, with([&](NewJob& job) { job.kind = value; })});
    bad.push_back(
        {what, {"unique_key", limit}, with([&](NewJob& job) { job.unique_key = value; })});
    bad.push_back({what, {"group_key", limit}, with([&](NewJob& job) { job.group_key = value; })});
  };
  each_field("empty", "128", "");
  each_field("129 letters", "128", std::string(129, 'x'));
  each_field("129 four-byte characters", "128", repeated("\xF0\x9F\x98\x80", 129));
  each_field("a blank in front", "blank", " x");
  each_field("a blank behind", "blank", "x ");
  each_field("a tab behind", "blank", "x\t");
  each_field("a stray continuation byte", "UTF-8", "x\x80");
  each_field("a cut character", "UTF-8", "x\xC3");
  each_field("an overlong form", "UTF-8", "\xC0\xAF");
  each_field("a surrogate as UTF-8", "UTF-8", "\xED\xA0\x80");
  each_field("a NUL", "NUL", std::string{"a\0b", 3});
  return bad;
}

std::vector<BadJob> bad_payloads() {
  std::vector<BadJob> bad;
  for (const std::string text :
       {"", "{", "nope", "{'a': 1}", "[1,]", "01", "1 2", "\"\t\"", "NaN", "\"\\x\"", "// c\n1"}) {
    bad.push_back(
        {"not JSON: " + text, {"payload", "JSON"}, with([&](NewJob& job) { job.payload = text; })});
  }
  const auto payload = [&](const std::string& what, const std::string& limit,
                           const std::string& text) {
    bad.push_back({what, {"payload", limit}, with([&](NewJob& job) { job.payload = text; })});
  };
  payload("invalid UTF-8", "payload", "\"\xFF\"");
  payload("a NUL byte", "NUL", std::string{"\"\0\"", 3});
  payload("over 1 MiB", "1048576", '"' + std::string(std::size_t{1} << 20U, 'x') + '"');
  payload("32 levels", "31", nested(32));
  payload("beyond a double", "double", "[1e400]");
  payload("beyond a double, negative", "double", "-1e999");
  payload("beyond a double, in digits", "double", '1' + std::string(400, '0'));
  payload("an unpaired high surrogate", "JSON", R"("\ud800")");
  payload("an unpaired low surrogate", "JSON", R"("\udc00 x")");
  payload("two high surrogates", "JSON", R"("\ud83d\ud83d")");
  return bad;
}

std::vector<BadJob> bad_numbers() {
  return {
      {"priority 11", {"priority", "10"}, with([](NewJob& job) { job.priority = 11; })},
      {"priority -11", {"priority", "-10"}, with([](NewJob& job) { job.priority = -11; })},
      {"negative delay", {"delay", "0"}, with([](NewJob& job) { job.delay = -1us; })},
      {"no attempts", {"max_attempts", "1"}, with([](NewJob& job) { job.max_attempts = 0; })},
      {"negative attempts", {"max_attempts", "1"}, with([](NewJob& job) {
         job.max_attempts = -3;
       })},
      {"delay and run_at", {"run_at", "delay"}, with([](NewJob& job) {
         job.delay = 1s;
         job.run_at = from_micros(1'900'000'000'000'000);
       })},
  };
}

class NothingAsked : public EnqueueInput {
 protected:
  // Refused, with a message that says where and why, and without a word to the database.
  void expect_refused(const std::vector<BadJob>& bad) const {
    Watched watched{db()};
    for (const auto& [what, named, job] : bad) {
      const auto error = error_of([&] { queue().enqueue(watched, job); });
      EXPECT_EQ(error.code(), Errc::invalid_argument) << what;
      for (const auto& word : named) {
        EXPECT_NE(std::string{error.what()}.find(word), std::string::npos)
            << what << ": \"" << error.what() << "\" does not say " << word;
      }
    }
    EXPECT_EQ(watched.round_trips, 0);
    EXPECT_EQ(count("tq_job"), 0);
  }
};
INSTANTIATE_TEST_SUITE_P(, NothingAsked, ::testing::ValuesIn(servers()), instance_name);

TEST_P(NothingAsked, ENQ_7_BadNamesAreRefused) { expect_refused(bad_names()); }
TEST_P(NothingAsked, ENQ_7_BadPayloadsAreRefused) { expect_refused(bad_payloads()); }
TEST_P(NothingAsked, ENQ_7_BadNumbersAreRefused) { expect_refused(bad_numbers()); }

TEST_P(EnqueueInput, ENQ_7_OneBadJobRefusesTheWholeCall) {
  std::vector<NewJob> jobs(3, job());
  jobs[1].payload = "{";
  EXPECT_EQ(error_of([&] { queue().enqueue(db(), jobs); }).code(), Errc::invalid_argument);
  EXPECT_EQ(count("tq_job"), 0);
}

TEST_P(EnqueueInput, ENQ_7_WhatIsJustWithinTheLimitsIsAccepted) {
  auto edge = job();
  edge.queue = "q";
  edge.kind = repeated("\xF0\x9F\x98\x80", 128);
  edge.unique_key = std::string(128, 'u');
  edge.group_key = std::string(128, 'g');
  edge.priority = 10;
  edge.payload = '"' + std::string((std::size_t{1} << 20U) - 2, 'x') + '"';
  const auto id = add(edge);
  const auto stored = row(id);
  EXPECT_EQ(stored.kind, edge.kind);
  EXPECT_EQ(stored.unique_key, edge.unique_key);
  EXPECT_EQ(stored.group_key, edge.group_key);
  EXPECT_EQ(stored.payload, edge.payload);
  auto deep = job();
  deep.payload = nested(31);
  deep.priority = -10;
  deep.max_attempts = 1;
  EXPECT_EQ(row(add(deep)).payload, deep.payload);
}

TEST_P(EnqueueInput, ENQ_7_TheOtherOperationsCheckTheirInputToo) {
  Watched watched{db()};
  const auto refused = [&](const std::string& named, const std::function<void()>& body) {
    const auto error = error_of(body);
    EXPECT_EQ(error.code(), Errc::invalid_argument) << named;
    EXPECT_NE(std::string{error.what()}.find(named), std::string::npos) << error.what();
  };
  const Lease held{JobId::generate(), 1, "w"};
  refused("queue", [&] { (void)queue().claim(watched, {.queue = "", .worker = "w"}); });
  refused("worker", [&] { (void)queue().claim(watched, {.queue = "q", .worker = ""}); });
  refused("limit",
          [&] { (void)queue().claim(watched, {.queue = "q", .worker = "w", .limit = 0}); });
  refused("lease",
          [&] { (void)queue().claim(watched, {.queue = "q", .worker = "w", .lease = 0s}); });
  refused("lease", [&] { (void)queue().extend(watched, held, -1s); });
  refused("retry_in", [&] { (void)queue().fail(watched, held, {.retry_in = -1s}); });
  refused("delay", [&] { (void)queue().snooze(watched, held, -1s); });
  refused("limit", [&] { (void)queue().reap(watched, 0); });
  refused("queue", [&] { queue().pause(watched, "q "); });
  const std::vector<JobId> some{JobId::generate()};
  refused("extra_attempts", [&] { (void)queue().requeue(watched, some, 0); });
  refused("state", [&] { (void)queue().purge(watched, {.state = State::ready}); });
  EXPECT_EQ(watched.round_trips, 0);
}

}  // namespace
}  // namespace tq::conformance
