#include "json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "usage_error.hpp"

namespace tq::cli {
namespace {

using testing::HasSubstr, testing::Not;

std::string refusal(std::string_view line) {
  try {
    static_cast<void>(parse_job(line, {}));
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(ParseJob, ReadsEveryMember) {
  const NewJob job = parse_job(
      R"({"queue":"q","kind":"k","payload":{},"priority":-3,"run_at":"1970-01-01T00:00:01Z",)"
      R"("max_attempts":7,"unique_key":"u","group_key":"g",)"
      R"("job_id":"0192f3c4-5d6e-7f80-91a2-b3c4d5e6f708"})",
      {});
  EXPECT_EQ(job.queue, "q");
  EXPECT_EQ(job.kind, "k");
  EXPECT_EQ(job.payload, "{}");
  EXPECT_EQ(job.priority, -3);
  EXPECT_EQ(job.run_at, from_micros(1'000'000));
  EXPECT_EQ(job.max_attempts, 7);
  EXPECT_EQ(job.unique_key, "u");
  EXPECT_EQ(job.group_key, "g");
  EXPECT_EQ(job.job_id->text(), "0192f3c4-5d6e-7f80-91a2-b3c4d5e6f708");
  EXPECT_EQ(parse_job(R"({"delay":"10s"})", {}).delay, std::chrono::seconds{10});
}

TEST(ParseJob, TakesThePayloadAsItIsWritten) {
  for (const char* payload :
       {R"({ "b" : 1,  "a":2, "b" : 3 })", R"([1, [ ] , { } ])", "-0.0", "1e10",
        "123456789012345678901234567890", R"("é \u00e9 \/ \u0000 😀 \ud83d\ude00")", "true", "null",
        "\"\"", R"({"deep":[[[[{"a":"]}"}]]]]})"}) {
    for (const char* frame :
         {R"({"payload":PAYLOAD,"kind":"k"})", R"({ "kind":"k", "payload" :   PAYLOAD   })"}) {
      std::string line = frame;
      line.replace(line.find("PAYLOAD"), 7, payload);
      const NewJob job = parse_job(line, {});
      EXPECT_EQ(job.payload, payload) << line;
      EXPECT_EQ(job.kind, "k") << line;
    }
  }
}

TEST(ParseJob, TakesAPayloadOfAMegabyte) {
  const std::string payload = "\"" + std::string(1U << 20U, 'x') + "\"";
  EXPECT_EQ(parse_job(R"({"payload":)" + payload + "}", {}).payload, payload);
}

TEST(ParseJob, FillsInDefaultsForWhatIsMissingOrNull) {
  const NewJob defaults{.queue = "q",
                        .kind = "k",
                        .payload = "[1]",
                        .priority = 4,
                        .delay = std::chrono::seconds{9},
                        .max_attempts = 8,
                        .group_key = "g"};
  for (const char* line :
       {"{}", R"({"queue":null,"kind":null,"priority":null,"delay":null,"run_at":null,)"
              R"("max_attempts":null,"group_key":null,"unique_key":null,"job_id":null})"}) {
    const NewJob job = parse_job(line, defaults);
    EXPECT_EQ(job.queue, "q");
    EXPECT_EQ(job.kind, "k");
    EXPECT_EQ(job.payload, "[1]");
    EXPECT_EQ(job.priority, 4);
    EXPECT_EQ(job.delay, std::chrono::seconds{9});
    EXPECT_EQ(job.max_attempts, 8);
    EXPECT_EQ(job.group_key, "g");
    EXPECT_FALSE(job.unique_key || job.job_id || job.run_at);
  }
  const NewJob now = parse_job(R"({"delay":"0s"})", defaults);
  EXPECT_EQ(now.delay, Duration::zero());
  const NewJob then = parse_job(R"({"run_at":"1970-01-01T00:00:00Z"})", defaults);
  EXPECT_EQ(then.delay, Duration::zero());
  EXPECT_EQ(then.run_at, from_micros(0));
}

TEST(ParseJob, ReadsWhatIsPrinted) {
  JobRow row{.queue = "a\"b\\ \xC3\xA9\n",
             .kind = "k",
             .payload = "{\n \"a\": \"\\n\"\r\n}",
             .state = State::dead,
             .attempts = 3,
             .max_attempts = 3,
             .last_error = "no\nuse",
             .unique_key = "u"};
  row.job_id = *JobId::parse("0192f3c4-5d6e-7f80-91a2-b3c4d5e6f708");
  const std::string line = job_json(row).raw("failures", "[]").str();
  EXPECT_THAT(line, Not(HasSubstr("\n")));
  const NewJob job = parse_job(line, {});
  EXPECT_EQ(job.queue, row.queue);
  EXPECT_EQ(job.payload, "{  \"a\": \"\\n\"  }");
  EXPECT_EQ(job.job_id, row.job_id);
  EXPECT_EQ(job.unique_key, "u");
  EXPECT_EQ(job.run_at, row.run_at);
  const Job claimed{
      .job_id = row.job_id, .generation = 2, .queue = "q", .kind = "k", .payload = "1"};
  EXPECT_EQ(parse_job(claim_json(claimed).str(), {}).payload, "1");
}

TEST(ParseJob, RefusesUnknownRepeatedAndMistypedMembers) {
  EXPECT_THAT(refusal(R"({"prio":1})"), HasSubstr("unknown member 'prio'"));
  EXPECT_THAT(refusal(R"({"Queue":"q"})"), HasSubstr("unknown member 'Queue'"));
  EXPECT_THAT(refusal(R"({"kind":"a","kind":"b"})"), HasSubstr("'kind' is given twice"));
  EXPECT_THAT(refusal(R"({"kind":"a","k\u0069nd":"b"})"), HasSubstr("'kind' is given twice"));
  EXPECT_THAT(refusal(R"({"queue":1})"), HasSubstr("queue must be a text"));
  EXPECT_THAT(refusal(R"({"priority":"1"})"), HasSubstr("priority must be a whole number"));
  EXPECT_THAT(refusal(R"({"priority":1.5})"), HasSubstr("priority must be a whole number"));
  EXPECT_THAT(refusal(R"({"max_attempts":99999999999})"), HasSubstr("max_attempts"));
  EXPECT_THAT(refusal(R"({"delay":10})"), HasSubstr("delay"));
  EXPECT_THAT(refusal(R"({"delay":"10"})"), HasSubstr("unit is missing"));
  EXPECT_THAT(refusal(R"({"run_at":"tomorrow"})"), HasSubstr("run_at"));
  EXPECT_THAT(refusal(R"({"job_id":"17"})"), HasSubstr("job_id"));
}

TEST(ParseJob, RefusesWhatIsNotOneJsonObject) {
  for (const char* line : {"",
                           "x",
                           "[]",
                           "1",
                           "\"a\"",
                           "{",
                           "{} {}",
                           "{}x",
                           "{\"payload\":}",
                           "{\"payload\":tru}",
                           "{\"payload\":01}",
                           "{\"payload\":{]}}",
                           "{\"payload\":[1,]}",
                           "{\"payload\":\"\x01\"}",
                           "{\"payload\":+1}",
                           "{\"payload\":\"\xFF\"}",
                           "{\"payload\":'a'}",
                           "{payload:1}",
                           R"({"payload":{"a":tru}})",
                           R"({"payload":nul,"kind":"k"})"}) {
    EXPECT_NE(refusal(line), "") << line;
  }
}

TEST(ParseJob, DoesNotRepeatAPayloadInItsError) {
  EXPECT_THAT(refusal(R"({"payload":{"card":"4711", x}})"), Not(HasSubstr("4711")));
}

TEST(JsonLine, EscapesTextAndReplacesWhatIsNotUtf8) {
  JsonLine line;
  line.text("a", "\"\\\n\x01\xFF").number("b", -1).boolean("c", false).time("d", std::nullopt);
  EXPECT_EQ(line.str(),
            "{\"a\":\"\\\"\\\\\\n\\u0001\xEF\xBF\xBD\",\"b\":-1,\"c\":false,\"d\":null}");
}

}  // namespace
}  // namespace tq::cli
