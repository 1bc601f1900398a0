#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completion_scripts.hpp"

namespace tq::cli {
namespace {

// bash takes words apart at = and :, so both are among COMP_WORDS.
constexpr const char* head = R"(# bash completion for tq, made by: tq completion bash
_tq() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command='' i
  COMPREPLY=()
  if [ "$cur" = = ]; then
    cur=''
  elif [ "$prev" = = ]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  [ "$cur" != : ] && [ "$prev" != : ] || return  # within a URL
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
)";

constexpr const char* tail = R"(  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}
complete -F _tq tq
)";

std::vector<std::string> names_of(const OptionText& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.short_names) names.push_back("-" + name);
  for (const std::string& name : option.long_names) names.push_back("--" + name);
  return names;
}

std::string suggestion(const OptionText& option) {
  const std::string compgen = option.type == "FILE" ? "-f" : option.type == "COMMAND" ? "-c" : "";
  if (!compgen.empty()) {
    return fmt::format(
        "compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen {} -- \"$cur\"); "
        "return",
        compgen);
  }
  if (option.values.empty()) return "return";
  return fmt::format("{}mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$cur\"); return",
                     option.type == "URL" ? "compopt -o nospace 2>/dev/null; " : "",
                     fmt::join(option.values, " "));
}

// What stands behind an option that takes a value.
std::string value_cases(const CommandText& command, const std::string& name) {
  std::string cases;
  for (const OptionText& option : command.options) {
    if (option.type.empty() || !option.positional.empty()) continue;
    std::vector<std::string> patterns;
    for (const std::string& text : names_of(option)) {
      patterns.push_back(name == "*" ? fmt::format("*' {}'", text)
                                     : fmt::format("'{} {}'", name, text));
    }
    cases += fmt::format("    {}) {} ;;\n", fmt::join(patterns, " | "), suggestion(option));
  }
  return cases;
}

// The options, or the words that an argument can be.
std::string words(const CommandText& command, const CommandText& common) {
  std::vector<std::string> options;
  for (const OptionText& option : command.options) {
    const auto more = option.positional.empty() ? names_of(option) : option.values;
    options.insert(options.end(), more.begin(), more.end());
  }
  for (const OptionText& option : common.options) {
    if (!option.everywhere) continue;
    for (const std::string& name : names_of(option)) options.push_back(name);
  }
  return fmt::format("{}", fmt::join(options, " "));
}

}  // namespace

std::string bash_completion(const ProgramText& tq) {
  std::vector<std::string> taking_values;
  for (const OptionText& option : tq.program.options) {
    if (option.type.empty()) continue;
    for (const std::string& name : names_of(option)) taking_values.push_back(name);
  }
  std::string commands = tq.command_names();
  std::string alternatives;
  for (const CommandText& command : tq.commands) {
    alternatives += (alternatives.empty() ? "" : " | ") + command.name;
  }
  std::string script = head;
  script += fmt::format("      {}) i=$((i + 1)) ;;\n", fmt::join(taking_values, " | "));
  script += fmt::format("      {}) command=${{COMP_WORDS[i]}}; break ;;\n    esac\n  done\n",
                        alternatives);
  script += "  case \"$command $prev\" in\n" + value_cases(tq.program, "*");
  for (const CommandText& command : tq.commands) script += value_cases(command, command.name);
  script += "  esac\n  local words\n  case $command in\n";
  script += fmt::format("    '') words='{}'\n      [[ $cur == -* ]] && words='{}' ;;\n", commands,
                        words(tq.program, {}));
  for (const CommandText& command : tq.commands) {
    script += fmt::format("    {}) words='{}' ;;\n", command.name, words(command, tq.program));
  }
  return script + tail;
}

}  // namespace tq::cli
