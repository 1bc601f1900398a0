#include "program_text.hpp"

#include <algorithm>
#include <sstream>

#include "options.hpp"

namespace tq::cli {
namespace {

OptionText option_text(const CLI::Option& option) {
  OptionText text{.short_names = option.get_snames(),
                  .long_names = option.get_lnames(),
                  .text = option.get_description(),
                  .default_text = option.get_default_str(),
                  .required = option.get_required(),
                  .repeated = option.get_items_expected_max() > 1};
  if (option.get_positional()) text.positional = option.get_name(true);
  if (option.get_items_expected_max() > 0) text.type = option.get_type_name();
  text.values = values_of(text.type);
  return text;
}

bool common(const CLI::Option& option, const CLI::App& tq) {
  const auto& names = option.get_lnames();
  return std::ranges::any_of(names, [&](const std::string& name) {
    return tq.get_option_no_throw("--" + name) != nullptr;
  });
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// The footer: "Examples:", their lines, an empty one, the notes.
void read_footer(const CLI::App& app, CommandText& text) {
  const std::vector<std::string> lines = lines_of(app.get_footer());
  const auto end = std::ranges::find(lines, std::string{});
  if (!lines.empty()) text.examples.assign(lines.begin() + 1, end);
  if (end != lines.end()) text.notes.assign(end + 1, lines.end());
}

CommandText command_text(const CLI::App& app) {
  CommandText text{.name = app.get_name(), .summary = app.get_description()};
  const CLI::App* tq = app.get_parent();
  for (const CLI::Option* option : app.get_options()) {
    if (tq == nullptr || !common(*option, *tq)) text.options.push_back(option_text(*option));
  }
  read_footer(app, text);
  return text;
}

}  // namespace

std::string ProgramText::command_names() const {
  std::string names;
  for (const CommandText& command : commands) names += (names.empty() ? "" : " ") + command.name;
  return names;
}

ProgramText read_program(const CLI::App& tq) {
  ProgramText text{.version = tq.version(), .program = command_text(tq)};
  const auto commands = tq.get_subcommands([](const CLI::App*) { return true; });
  for (OptionText& option : text.program.options) {
    option.everywhere = std::ranges::all_of(commands, [&](const CLI::App* command) {
      return command->get_option_no_throw("--" + option.long_names.at(0)) != nullptr;
    });
  }
  for (const CLI::App* command : commands) {
    text.commands.push_back(command_text(*command));
  }
  return text;
}

}  // namespace tq::cli
