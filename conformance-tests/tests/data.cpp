// DAT-1 to DAT-3: what goes in comes out.
#include <cstdlib>
#include <ctime>

#include "fixture.hpp"

namespace tq::conformance {
namespace {

using namespace std::chrono_literals;

class Data : public PairTest {
 protected:
  // By every way in and every way out.
  void expect_kept(const std::string& payload) const {
    auto carrying = job();
    carrying.payload = payload;
    const auto alone = add(carrying);
    const auto in_bulk = add(2, carrying);
    for (const auto& held : claim(10)) EXPECT_EQ(held.payload, payload);
    for (const auto& stored : queue().list(db(), {.queue = "q"}))
      EXPECT_EQ(stored.payload, payload);
    EXPECT_EQ(row(alone).payload, payload);
    EXPECT_EQ(row(in_bulk[1]).payload, payload);
    app().execute("DELETE FROM " + place().table("tq_job"));
  }
};
INSTANTIATE_TEST_SUITE_P(, Data, ::testing::ValuesIn(servers()), instance_name);

TEST_P(Data, DAT_1_UnicodeComesBackByteForByte) {
  expect_kept("\"\xC3\xA9 \xE4\xB8\xAD\xE6\x96\x87 \xF0\x9F\x98\x80 \xF4\x8F\xBF\xBF\"");
  expect_kept("\"e\xCC\x81\"");                                    // not composed
  expect_kept("\"\xE2\x80\xA8 \xE2\x80\xAE \xEF\xBF\xBF \x7F\"");  // separators, marks, DEL
  expect_kept("{\"\xF0\x9F\x98\x80\": \"\xED\x9F\xBF\"}");
}

TEST_P(Data, DAT_1_EscapesComeBackAsTheyWereWritten) {
  expect_kept(R"("\u0000")");
  expect_kept(R"("a\u0000b\u0001\u001f")");
  expect_kept(R"("\ud83d\ude00 \u00e9 \u00E9")");
  expect_kept(R"("\" \\ \/ \b \f \n \r \t \\u0000")");
  expect_kept(R"({"\u006b": 1, "k\\": "'; DROP TABLE x; --"})");
  expect_kept(R"("$1 ?1 ? :name :: := # %s {schema} -- /* */")");
}

TEST_P(Data, DAT_1_NumbersAreNotRewritten) {
  expect_kept("12345678901234567890123456789012345678901234567890");
  expect_kept("[9007199254740993, 18446744073709551616, -9223372036854775809]");
  expect_kept("[1.0, 1.00, 1e2, 1E+2, -0, -0.0, 0.1e-7, 1.7976931348623157e308, 5e-324]");
  expect_kept("3.14159265358979323846264338327950288419716939937510");
}

TEST_P(Data, DAT_1_KeysAndWhiteSpaceAreNotTouched) {
  expect_kept(R"({"b": 1, "a": 2, "b": 3, "": {}})");
  expect_kept(" \t\r\n { \"a\" :\n[ 1 ,2 ] }\n\n ");
  expect_kept("null");
  expect_kept("true");
  expect_kept("\"\"");
  expect_kept("\" '' \"");
}

TEST_P(Data, DAT_1_AMebibyteAndThirtyOneLevels) {
  constexpr std::size_t mebibyte = std::size_t{1} << 20U;
  expect_kept('"' + std::string(mebibyte - 2, 'x') + '"');
  std::string four_bytes = "\"";
  while (four_bytes.size() + 5 <= mebibyte) four_bytes += "\xF0\x9F\x98\x80";
  expect_kept(four_bytes + '"');
  std::string escapes = "\"";
  while (escapes.size() + 7 <= mebibyte) escapes += "\\u0000";
  expect_kept(escapes + '"');
  expect_kept(std::string(31, '[') + std::string(31, ']'));
  std::string objects;
  for (int i = 0; i < 30; ++i) objects += "{\"k\":";
  expect_kept(objects + "[]" + std::string(30, '}'));
}

TEST_P(Data, DAT_2_NamesAreCaseSensitive) {
  auto upper = job();
  upper.queue = "Q";
  add(upper);
  EXPECT_TRUE(claim(5).empty());
  const auto lower = add();
  EXPECT_EQ(ids(claim(5)), std::vector{lower});
  queue().pause(db(), "q");
  EXPECT_EQ(queue().claim(db(), {.queue = "Q", .worker = "w"}).size(), 1U);
  EXPECT_EQ(queue().list(db(), {.kind = "K"}).size(), 0U);
}

TEST_P(Data, DAT_2_KeysAndOwnersAreCaseSensitive) {
  for (const std::string key : {"key", "Key", "KEY", "k\xC3\xA9y", "ke\xCC\x81y"}) {
    auto keyed = job();
    keyed.unique_key = key;
    keyed.group_key = key;
    EXPECT_TRUE(queue().enqueue(db(), keyed).inserted) << key;
  }
  const auto held = claim(10, "worker");
  ASSERT_EQ(held.size(), 5U);
  auto other = held[0].lease();
  other.worker = "Worker";
  EXPECT_EQ(queue().complete(db(), other), Finish::lost);
  EXPECT_EQ(queue().complete(db(), held[0].lease()), Finish::done);
}

TEST_P(Data, DAT_2_TrailingBlanksAreNotFolded) {
  add();
  const auto plain_insert = [&](const std::string& columns, const std::string& values) {
    app().execute("INSERT INTO " + place().table("tq_job") + " (queue, kind, payload" + columns +
                  ") VALUES (" + values + ")");
  };
  // Either the database refuses such a name too, or it is another name.
  try {
    plain_insert("", "'q ', 'k', '{}'");
  } catch (const RawError&) {
    EXPECT_EQ(count("tq_job"), 1);
  }
  EXPECT_EQ(claim(5).size(), 1U);
  auto keyed = job();
  keyed.unique_key = "key";
  const auto holder = add(keyed);
  try {
    plain_insert(", unique_key", "'q', 'k', '{}', 'key '");
    EXPECT_EQ(count("tq_job", "unique_key IS NOT NULL"), 2);
  } catch (const RawError&) {
    EXPECT_EQ(count("tq_job", "unique_key IS NOT NULL"), 1);
  }
  EXPECT_EQ(queue().enqueue(db(), keyed).job_id, holder);
}

TEST_P(Data, DAT_2_NamesAndErrorsAreUtf8Text) {
  const std::string name = "\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80'\"\\;--%_";
  const NewJob foreign{.queue = name, .kind = name, .unique_key = name, .group_key = name};
  const auto id = add(foreign);
  const auto held = queue().claim(db(), {.queue = name, .worker = name}).at(0);
  EXPECT_EQ(held.kind, name);
  EXPECT_EQ(held.unique_key, name);
  EXPECT_EQ(held.group_key, name);
  EXPECT_EQ(queue().fail(db(), held.lease(), {.error = name + "\n\t" + name}), Finish::done);
  const auto stored = row(id);
  EXPECT_EQ(stored.queue, name);
  EXPECT_EQ(stored.last_worker, name);
  EXPECT_EQ(stored.last_error, name + "\n\t" + name);
  EXPECT_EQ(queue().failures(db(), id).at(0).error, name + "\n\t" + name);
  EXPECT_EQ(queue().stats(db(), name).at(0).ready, 1);
}

TEST_P(Data, DAT_2_ErrorThatIsNotTextIsStoredAsText) {
  const auto id = add();
  const std::string raw{"bad \xFF byte and \0 NUL", 20};
  ASSERT_EQ(queue().fail(db(), claim_one().lease(), {.error = raw}), Finish::done);
  const auto stored = row(id).last_error.value();
  EXPECT_EQ(stored.find('\0'), std::string::npos);
  EXPECT_TRUE(stored.starts_with("bad "));
  EXPECT_NE(stored.find(" byte and "), std::string::npos);
}

TEST_P(Data, DAT_3_MicrosecondsAreKept) {
  for (const std::int64_t micros : {1'900'000'000'123'456, 1'900'000'000'000'001,
                                    1'900'000'000'999'999, 4'102'444'800'000'000}) {
    auto timed = job();
    timed.run_at = from_micros(micros);
    EXPECT_EQ(to_micros(row(add(timed)).run_at), micros);
  }
}

// Sets the zone of this process for as long as it lives.
class ProcessZone {
 public:
  explicit ProcessZone(const char* zone) {
    ::setenv("TZ", zone, 1);
    ::tzset();
  }
  ProcessZone(const ProcessZone&) = delete;
  ProcessZone& operator=(const ProcessZone&) = delete;
  ~ProcessZone() {
    ::unsetenv("TZ");
    ::tzset();
  }
};

TEST_P(Data, DAT_3_TimesAreUtcWhateverTheSessionsZone) {
  const ProcessZone zone{"Pacific/Chatham"};
  if (!texts().other_time_zone.empty()) app().execute(texts().other_time_zone);
  const auto borrowed = app().borrow();
  auto timed = job();
  timed.run_at = from_micros(1'900'000'000'123'456);
  auto delayed = job();
  delayed.delay = 10min;
  app().execute(texts().begin);
  const auto at = queue().enqueue(*borrowed, timed).job_id;
  const auto in = queue().enqueue(*borrowed, delayed).job_id;
  const auto now_there = queue().now(*borrowed);
  app().execute(texts().commit);
  const auto now_here = queue().now(db());
  EXPECT_LT(now_here - now_there, 1min);
  EXPECT_LT(now_there - now_here, 1min);
  EXPECT_EQ(row(at).run_at, *timed.run_at);
  EXPECT_EQ(queue().find(*borrowed, at.text()).at(0).run_at, *timed.run_at);
  EXPECT_LT(row(in).run_at, now_here + 11min);
  EXPECT_GT(row(in).run_at, now_here + 9min);
  const auto system = std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
  EXPECT_LT(now_here - system, 1h) << "the database's clock is not UTC (or far off)";
  EXPECT_LT(system - now_here, 1h) << "the database's clock is not UTC (or far off)";
}

TEST_P(Data, DAT_3_LeaseIsUtcWhateverTheSessionsZone) {
  const ProcessZone zone{"Pacific/Chatham"};
  if (!texts().other_time_zone.empty()) app().execute(texts().other_time_zone);
  const auto borrowed = app().borrow();
  add();
  app().execute(texts().begin);
  const auto held = queue().claim(*borrowed, {.queue = "q", .worker = "w"}).at(0);
  app().execute(texts().commit);
  EXPECT_EQ(row(held.job_id).lease_until, held.lease_until);
  EXPECT_GT(held.lease_until, queue().now(db()));
  EXPECT_LE(held.lease_until, queue().now(db()) + 60s);
  EXPECT_EQ(queue().reap(db()), 0U);
  EXPECT_EQ(queue().complete(db(), held.lease()), Finish::done);
}

}  // namespace
}  // namespace tq::conformance
