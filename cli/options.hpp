// Options that several commands share, and values that CLI11 does not know.
#pragma once

#include <CLI/App.hpp>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tq/id.hpp"
#include "tq/job.hpp"
#include "tq/time.hpp"

namespace tq::cli {

/// The groups under which `tq --help` lists the commands.
namespace group {
inline constexpr const char* schema = "Set up";
inline constexpr const char* producer = "Add jobs";
inline constexpr const char* worker = "Work";
inline constexpr const char* look = "Look";
inline constexpr const char* operate = "Operate";
inline constexpr const char* help = "Help";
}  // namespace group

/// A subcommand with its text and examples. `examples` are lines for the end of its help.
CLI::App* add_command(CLI::App& tq, const std::string& name, const std::string& text,
                      const char* group, const std::string& examples);

/// The words that a value of this type can be, where they are few; else none. Completion offers
/// them, files for FILE, and commands for COMMAND.
[[nodiscard]] std::vector<std::string> values_of(std::string_view type);

CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& value,
                      const std::string& text);
CLI::Option* add_text(CLI::App& app, const std::string& name, std::optional<std::string>& value,
                      const std::string& text);

/// The name of an owner; what an empty one means, nobody can have meant.
CLI::Option* add_worker(CLI::App& app, std::string& value, const std::string& text);

struct Between {
  std::int64_t low;
  std::int64_t high;
};
CLI::Option* add_number(CLI::App& app, const std::string& name, std::int64_t usual, Between between,
                        const std::string& text, std::function<void(std::int64_t)> store);
/// A whole number; what `value` is now is the default. The type can hold the limits.
template <std::integral Number>
CLI::Option* add_number(CLI::App& app, const std::string& name, Number& value, Between between,
                        const std::string& text) {
  return add_number(app, name, static_cast<std::int64_t>(value), between, text,
                    [&value](std::int64_t given) { value = static_cast<Number>(given); });
}

CLI::Option* add_duration(CLI::App& app, const std::string& name, Duration& value,
                          const std::string& text);
CLI::Option* add_duration(CLI::App& app, const std::string& name, std::optional<Duration>& value,
                          const std::string& text);
CLI::Option* add_time(CLI::App& app, const std::string& name, std::optional<Timestamp>& value,
                      const std::string& text);
CLI::Option* add_state(CLI::App& app, const std::string& name, std::optional<State>& value,
                       const std::string& text);
/// May be repeated; each state is there once, in the order in which they were given first.
CLI::Option* add_states(CLI::App& app, const std::string& name, std::vector<State>& values,
                        const std::string& text);
CLI::Option* add_id(CLI::App& app, const std::string& name, std::optional<JobId>& value,
                    const std::string& text);

/// Reads an id of 36 characters. Throws UsageError.
[[nodiscard]] JobId parse_id(std::string_view text);

/// The owner of claims that this program makes unless told otherwise: TQ_WORKER, or user@host.
[[nodiscard]] std::string default_worker();

}  // namespace tq::cli
