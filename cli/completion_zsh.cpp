#include <fmt/format.h>
#include <fmt/ranges.h>

#include "completion_scripts.hpp"

namespace tq::cli {
namespace {

// Within single quotes; `marks` mean something in what is quoted.
std::string escaped(std::string_view text, std::string_view marks) {
  std::string result;
  for (const char c : text) {
    if (c == '\'') {
      result += "'\\''";
      continue;
    }
    if (c == '\\' || marks.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string action(const OptionText& option) {
  if (option.type == "FILE") return "_files";
  if (option.type == "COMMAND") return "_cmdstring";
  if (option.values.empty()) return " ";
  std::string words;
  for (const std::string& value : option.values) {
    words += (words.empty() ? "" : " ") + escaped(value, ":");
  }
  return "(" + words + ")";
}

std::string argument_spec(const OptionText& option) {
  return fmt::format("'{}:{}:{}'",
                     option.repeated   ? "*"
                     : option.required ? ""
                                       : ":",
                     escaped(option.positional, ":"), action(option));
}

// '(-q --queue)'{-q+,--queue=}'[text]:TEXT: '
std::string option_spec(const OptionText& option) {
  const bool flag = option.type.empty();
  std::vector<std::string> all;
  std::vector<std::string> forms;
  for (const std::string& name : option.short_names) {
    all.push_back("-" + name);
    forms.push_back("-" + name + (flag ? "" : "+"));
  }
  for (const std::string& name : option.long_names) {
    all.push_back("--" + name);
    forms.push_back("--" + name + (flag ? "" : "="));
  }
  const std::string others = option.repeated ? "*" : fmt::format("({})", fmt::join(all, " "));
  const std::string names =
      forms.size() == 1 ? "'" + forms.front() + "'" : fmt::format("{{{}}}", fmt::join(forms, ","));
  const std::string value =
      flag ? "" : fmt::format(":{}:{}", escaped(option.type, ":"), action(option));
  return fmt::format("'{}'{}'[{}]{}'", others, names, escaped(option.text, "[]"), value);
}

std::string specs(const CommandText& command, std::string_view indent) {
  std::string text;
  for (const OptionText& option : command.options) {
    text += fmt::format("{}{} \\\n", indent,
                        option.positional.empty() ? option_spec(option) : argument_spec(option));
  }
  return text;
}

}  // namespace

std::string zsh_completion(const ProgramText& tq) {
  std::string script = "#compdef tq\n# zsh completion for tq, made by: tq completion zsh\n";
  script += "_tq() {\n  local -a commands common\n  local curcontext=$curcontext state line\n";
  script += "  typeset -A opt_args\n  commands=(\n";
  for (const CommandText& command : tq.commands) {
    script += fmt::format("    '{}:{}'\n", command.name, escaped(command.summary, ""));
  }
  script += "  )\n  common=(\n";
  std::string only_first;
  for (const OptionText& option : tq.program.options) {
    if (option.everywhere) script += fmt::format("    {}\n", option_spec(option));
    if (!option.everywhere) only_first += option_spec(option) + " ";
  }
  script += fmt::format(
      "  )\n  _arguments -C \"$common[@]\" {}'1: :->command' '*:: :->arguments'\n", only_first);
  script += "  case $state in\n  command) _describe -t commands command commands ;;\n";
  script += "  arguments)\n    case $words[1] in\n";
  for (const CommandText& command : tq.commands) {
    script += fmt::format("    {})\n      _arguments \\\n{}        \"$common[@]\" ;;\n",
                          command.name, specs(command, "        "));
  }
  return script + "    esac ;;\n  esac\n}\n" +
         "if [ \"$funcstack[1]\" = _tq ]; then _tq \"$@\"; else compdef _tq tq; fi\n";
}

}  // namespace tq::cli
