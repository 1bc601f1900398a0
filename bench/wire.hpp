// What the processes of a run tell one another, and what a run prints: JSON, an object a line.
#pragma once

#include <string>

#include "bench.hpp"

namespace tq::bench {

[[nodiscard]] std::string to_json(const WorkerTask& task);
[[nodiscard]] WorkerTask parse_task(const std::string& json);
[[nodiscard]] std::string to_json(const WorkerReport& report);
[[nodiscard]] WorkerReport parse_report(const std::string& json);

/// `facts` are members of it, such as the durability: name and value in turn.
[[nodiscard]] std::string to_json(const Result& result,
                                  const std::vector<std::pair<std::string, std::string>>& facts);

}  // namespace tq::bench
