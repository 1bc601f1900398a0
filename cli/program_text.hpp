// The command line as data, read from the parser, so that completion files and the manual know
// every command and option by themselves.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace tq::cli {

/// An option, a flag or a positional argument.
struct OptionText {
  std::vector<std::string> short_names = {};  ///< without dashes
  std::vector<std::string> long_names = {};
  std::string positional = {};           ///< its name; empty: it is none
  std::string type = {};                 ///< "DURATION"; empty: a flag
  std::vector<std::string> values = {};  ///< all it can be, where that is a short list
  std::string text = {};
  std::string default_text = {};
  bool required = false;
  bool repeated = false;
  bool everywhere = false;  ///< of the program: each command takes it too
};

struct CommandText {
  std::string name = {};
  std::string summary = {};
  std::vector<OptionText> options = {};    ///< its own, without the common ones
  std::vector<std::string> examples = {};  ///< lines, as the help shows them
  std::vector<std::string> notes = {};     ///< lines; those with a key begin with two blanks
};

/// The common options, examples and notes are those of the program as a whole.
struct ProgramText {
  std::string version = {};
  CommandText program = {};
  std::vector<CommandText> commands = {};

  [[nodiscard]] std::string command_names() const;  ///< with blanks between them
};

[[nodiscard]] ProgramText read_program(const CLI::App& tq);

}  // namespace tq::cli
