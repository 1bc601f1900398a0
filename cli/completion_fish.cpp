#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completion_scripts.hpp"

namespace tq::cli {
namespace {

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string value(const OptionText& option) {
  if (option.type.empty()) return "";
  if (option.type == "FILE") return " -r -F";
  if (option.type == "COMMAND") return " -x -a '(__fish_complete_command)'";
  if (option.values.empty()) return " -x";
  return " -x -a " + in_quotes(fmt::format("{}", fmt::join(option.values, " ")));
}

std::string lines(const CommandText& command, const std::string& condition) {
  std::string text;
  for (const OptionText& option : command.options) {
    if (!option.positional.empty() && option.values.empty()) continue;
    std::string line = "complete -c tq" + condition;
    for (const std::string& name : option.short_names) line += " -s " + name;
    for (const std::string& name : option.long_names) line += " -l " + name;
    text += line + value(option) + " -d " + in_quotes(option.text) + "\n";
  }
  return text;
}

}  // namespace

std::string fish_completion(const ProgramText& tq) {
  std::string script = "# fish completion for tq, made by: tq completion fish\n";
  const std::string none =
      fmt::format(" -n 'not __fish_seen_subcommand_from {}'", tq.command_names());
  script += "complete -c tq -f\n";
  for (const OptionText& option : tq.program.options) {
    script += lines({.options = {option}}, option.everywhere ? "" : none);
  }
  for (const CommandText& command : tq.commands) {
    script += fmt::format("complete -c tq{} -a {} -d {}\n", none, command.name,
                          in_quotes(command.summary));
    script += lines(command, fmt::format(" -n '__fish_seen_subcommand_from {}'", command.name));
  }
  return script;
}

}  // namespace tq::cli
