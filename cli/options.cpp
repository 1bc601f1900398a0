#include "options.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <functional>

#include "times.hpp"
#include "url.hpp"
#include "usage_error.hpp"

namespace tq::cli {
namespace {

constexpr std::array states{State::ready, State::running,   State::succeeded,
                            State::dead,  State::cancelled, State::moved};

std::string state_names() {
  std::string names;
  for (const State state : states) {
    names += names.empty() ? "" : ", ";
    names += name(state);
  }
  return names;
}

std::string long_name(const std::string& name) { return name.substr(name.rfind(',') + 1); }

// An option whose text `read` turns into a value and stores; UsageError names the option.
template <class Read>
CLI::Option* add_read(CLI::App& app, const std::string& name, const char* type,
                      const std::string& text, Read read) {
  CLI::Option* option = app.add_option_function<std::string>(
      name,
      [read, name](const std::string& given) {
        try {
          read(given);
        } catch (const UsageError& error) {
          // It may be a URL that stands in the wrong place.
          throw CLI::ValidationError{long_name(name), without_password(error.what(), given)};
        }
      },
      text);
  return option->type_name(type);
}

CLI::Option* add_duration_option(CLI::App& app, const std::string& name, const std::string& text,
                                 std::function<void(Duration)> store) {
  constexpr const char* units = "Durations: 500ms, 30s, 5m, 2h, 7d.";
  if (!app.get_footer().ends_with(units)) app.footer(app.get_footer() + "\n\n" + units);
  return add_read(app, name, "DURATION", text,
                  [store](const std::string& given) { store(parse_duration(given)); });
}

State state_of(const std::string& text) {
  if (const std::optional<State> state = parse_state(text)) return *state;
  throw UsageError{fmt::format("'{}' is no state; there are {}", text, state_names())};
}

}  // namespace

CLI::App* add_command(CLI::App& tq, const std::string& name, const std::string& text,
                      const char* group, const std::string& examples) {
  CLI::App* command = tq.add_subcommand(name, text);
  command->group(group);
  command->footer("Examples:\n" + examples);
  return command;
}

std::vector<std::string> values_of(std::string_view type) {
  if (type == "SHELL") return {"bash", "zsh", "fish"};
  if (type != "STATE") return {};
  std::vector<std::string> names;
  names.reserve(states.size());
  for (const State state : states) names.emplace_back(name(state));
  return names;
}

CLI::Option* add_text(CLI::App& app, const std::string& name, std::string& value,
                      const std::string& text) {
  return app.add_option(name, value, text)->type_name("TEXT");
}

CLI::Option* add_text(CLI::App& app, const std::string& name, std::optional<std::string>& value,
                      const std::string& text) {
  return add_read(app, name, "TEXT", text, [&value](const std::string& given) { value = given; });
}

CLI::Option* add_worker(CLI::App& app, std::string& value, const std::string& text) {
  return add_read(app, "--worker", "TEXT", text, [&value](const std::string& given) {
    if (given.empty()) throw UsageError{"it is empty; leave it out for the default"};
    value = given;
  });
}

CLI::Option* add_number(CLI::App& app, const std::string& name, std::int64_t usual, Between between,
                        const std::string& text, std::function<void(std::int64_t)> store) {
  const auto read = [between, store = std::move(store)](const std::string& given) {
    std::int64_t number = 0;
    const char* end = given.data() + given.size();
    const auto [stop, error] = std::from_chars(given.data(), end, number);
    if (error != std::errc{} || stop != end || number < between.low || number > between.high) {
      throw UsageError{fmt::format("'{}' is not a whole number from {} to {}", given, between.low,
                                   between.high)};
    }
    store(number);
  };
  return add_read(app, name, "N", text, read)->default_str(std::to_string(usual));
}

CLI::Option* add_duration(CLI::App& app, const std::string& name, Duration& value,
                          const std::string& text) {
  return add_duration_option(app, name, text, [&value](Duration given) { value = given; });
}

CLI::Option* add_duration(CLI::App& app, const std::string& name, std::optional<Duration>& value,
                          const std::string& text) {
  return add_duration_option(app, name, text, [&value](Duration given) { value = given; });
}

CLI::Option* add_time(CLI::App& app, const std::string& name, std::optional<Timestamp>& value,
                      const std::string& text) {
  return add_read(app, name, "TIME", text,
                  [&value](const std::string& given) { value = parse_time(given); });
}

CLI::Option* add_state(CLI::App& app, const std::string& name, std::optional<State>& value,
                       const std::string& text) {
  return add_read(app, name, "STATE", text,
                  [&value](const std::string& given) { value = state_of(given); });
}

CLI::Option* add_states(CLI::App& app, const std::string& name, std::vector<State>& values,
                        const std::string& text) {
  return app
      .add_option_function<std::vector<std::string>>(
          name,
          [&values, name](const std::vector<std::string>& given) {
            try {
              for (const std::string& one : given) {
                const State state = state_of(one);
                if (std::ranges::find(values, state) == values.end()) values.push_back(state);
              }
            } catch (const UsageError& error) {
              throw CLI::ValidationError{name, error.what()};
            }
          },
          text)
      ->allow_extra_args(false)
      ->type_name("STATE");
}

CLI::Option* add_id(CLI::App& app, const std::string& name, std::optional<JobId>& value,
                    const std::string& text) {
  return add_read(app, name, "JOB_ID", text,
                  [&value](const std::string& given) { value = parse_id(given); });
}

JobId parse_id(std::string_view text) {
  if (const std::optional<JobId> id = JobId::parse(text)) return *id;
  throw UsageError{fmt::format(
      "'{}' is not a job id; it has 36 characters, like 0192f3c4-5d6e-7f80-91a2-b3c4d5e6f708",
      text)};
}

std::string default_worker() {
  if (const char* name = std::getenv("TQ_WORKER"); name != nullptr && *name != '\0') return name;
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host = {"localhost"};
  const passwd* user = getpwuid(geteuid());
  const std::string who = user == nullptr ? std::to_string(geteuid()) : user->pw_name;
  return fmt::format("{}@{}", who, host.data());
}

}  // namespace tq::cli
