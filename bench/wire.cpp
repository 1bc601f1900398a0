#include "wire.hpp"

#include <nlohmann/json.hpp>

namespace tq::bench {

using Json = nlohmann::ordered_json;

std::string to_json(const WorkerTask& task) {
  return Json{{"threads", task.threads}, {"wake_up", task.wake_up}, {"jobs", task.jobs}}.dump();
}

WorkerTask parse_task(const std::string& json) {
  const auto object = Json::parse(json);
  return {
      .threads = object.at("threads"), .wake_up = object.at("wake_up"), .jobs = object.at("jobs")};
}

std::string to_json(const WorkerReport& report) {
  return Json{{"begun", report.begun},        {"ended", report.ended},
              {"started", report.started},    {"done", report.done},
              {"refused", report.refused},    {"processor", report.processor},
              {"peak_kib", report.peak_kib},  {"middle_kib", report.middle_kib},
              {"latencies", report.latencies}}
      .dump();
}

WorkerReport parse_report(const std::string& json) {
  const auto object = Json::parse(json);
  return {.begun = object.at("begun"),
          .ended = object.at("ended"),
          .started = object.at("started"),
          .done = object.at("done"),
          .refused = object.at("refused"),
          .processor = object.at("processor"),
          .peak_kib = object.at("peak_kib"),
          .middle_kib = object.at("middle_kib"),
          .latencies = object.at("latencies")};
}

std::string to_json(const Result& result,
                    const std::vector<std::pair<std::string, std::string>>& facts) {
  Json object{{"workload", result.workload}, {"value", result.value}, {"unit", result.unit}};
  auto more = Json::object();
  for (const auto& figure : result.more) more[figure.name] = figure.value;
  object["more"] = more;
  object["jobs"] = result.jobs;
  object["lost"] = result.lost;
  object["doubled"] = result.doubled;
  object["stale"] = result.stale;
  for (const auto& [name, value] : facts) object[name] = value;
  return object.dump();
}

}  // namespace tq::bench
