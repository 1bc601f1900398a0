#include "validate.hpp"

#include <gtest/gtest.h>

#include "tq/error.hpp"

namespace tq {
namespace {

NewJob good() { return {.queue = "q", .kind = "k", .payload = R"({"a":1})"}; }

std::string refusal(const NewJob& job, std::size_t limit = 1U << 20U) {
  try {
    check_job(job, limit);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::invalid_argument);
    return error.what();
  }
  return "accepted";
}

std::string payload_refusal(const std::string& payload, std::size_t limit = 1U << 20U) {
  auto job = good();
  job.payload = payload;
  return refusal(job, limit);
}

void expect_begins(const std::string& text, std::string_view start) {
  EXPECT_TRUE(text.starts_with(start)) << text;
}

TEST(Validate, NamesTheFieldThatIsWrong) {
  auto job = good();
  job.queue = "";
  expect_begins(refusal(job), "queue: is empty");
  job.queue = " q";
  expect_begins(refusal(job), "queue: begins or ends with a blank");
  job.queue = "q\t";
  expect_begins(refusal(job), "queue: begins or ends with a blank");
  job = good();
  job.kind = "a\xFFz";
  expect_begins(refusal(job), "kind: is not valid UTF-8");
  job.kind = std::string{"a\0b", 3};
  expect_begins(refusal(job), "kind: holds a NUL");
  job = good();
  job.unique_key = "";
  expect_begins(refusal(job), "unique_key: is empty");
  job = good();
  job.group_key = std::string(129, 'g');
  expect_begins(refusal(job), "group_key: has 129 characters");
  job = good();
  job.delay = Duration{-1};
  expect_begins(refusal(job), "delay: ");
  job = good();
  job.max_attempts = 0;
  expect_begins(refusal(job), "max_attempts: is 0");
  job = good();
  job.priority = 11;
  expect_begins(refusal(job), "priority: is 11; it must be -10 to 10");
  job = good();
  job.run_at = Timestamp{};
  job.delay = Duration{5};
  expect_begins(refusal(job), "run_at: given together with delay");
}

TEST(Validate, CountsCharactersNotBytes) {
  auto job = good();
  for (int i = 0; i < 128; ++i) job.group_key = job.group_key.value_or("") + "\xF0\x9F\x90\x98";
  EXPECT_EQ(refusal(job), "accepted");
}

TEST(Validate, TakesEveryValidPayload) {
  for (const auto* payload :
       {"null", "1", "-0.0", "\"x\"", "[]",
        " { \"a\" : [ 1e308 , 123456789012345678901234567890 ] } ", R"({"a":1,"a":2})",
        R"(["\u0000","\ud83d\ude00","\\"])", "\"\xF0\x9F\x90\x98\""}) {
    EXPECT_EQ(payload_refusal(payload), "accepted") << payload;
  }
  EXPECT_EQ(payload_refusal(std::string(31, '[') + std::string(31, ']')), "accepted");
}

TEST(Validate, RefusesWhatAnyEngineWould) {
  expect_begins(payload_refusal(""), "payload: not valid JSON");
  expect_begins(payload_refusal("{"), "payload: not valid JSON");
  expect_begins(payload_refusal("{'a':1}"), "payload: not valid JSON");
  expect_begins(payload_refusal("[1,]"), "payload: not valid JSON");
  expect_begins(payload_refusal("NaN"), "payload: not valid JSON");
  expect_begins(payload_refusal("1 2"), "payload: not valid JSON");
  expect_begins(payload_refusal("// c\n1"), "payload: not valid JSON");
  expect_begins(payload_refusal("\"\xC3\x28\""), "payload: not valid JSON");
  expect_begins(payload_refusal("1e400"), "payload: a number near byte");
  expect_begins(payload_refusal(R"("\ud83d")"), "payload: not valid JSON");
  expect_begins(payload_refusal(R"("\ude00")"), "payload: not valid JSON");
  expect_begins(payload_refusal("\xEF\xBB\xBF{}"), "payload: begins with a byte order mark");
  expect_begins(payload_refusal(std::string{"{}\0 garbage", 11}), "payload: holds a NUL");
  expect_begins(payload_refusal(std::string(32, '[') + std::string(32, ']')),
                "payload: nested deeper than 31");
  expect_begins(payload_refusal("\"" + std::string(99, 'x') + "\"", 100),
                "payload: has 101 bytes, the limit is 100");
}

TEST(StorableError, MakesAnyBytesStorable) {
  EXPECT_EQ(storable_error("fine"), "fine");
  EXPECT_EQ(storable_error(std::string{"a\0b", 3}),
            "a\xEF\xBF\xBD"
            "b");
  EXPECT_EQ(storable_error("\xFF\xC3"), "\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(storable_error(std::string(5000, 'x')).size(), 4000U);
  std::string elephants;
  for (int i = 0; i < 4100; ++i) elephants += "\xF0\x9F\x90\x98";
  EXPECT_EQ(storable_error(elephants).size(), 16'000U);
}

}  // namespace
}  // namespace tq
