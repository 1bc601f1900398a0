#include "man_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

namespace tq::cli {
namespace {

// Text as it is: no request, no hyphen or quote of the printer's own.
std::string plain(std::string_view text) {
  std::string result = text.starts_with('.') || text.starts_with('\'') ? "\\&" : "";
  for (const char c : text) {
    switch (c) {
      case '\\':
        result += "\\e";
        break;
      case '-':
        result += "\\-";
        break;
      case '\'':
        result += "\\(aq";
        break;
      case '`':
        result += "\\(ga";
        break;
      case '^':
        result += "\\(ha";
        break;
      case '~':
        result += "\\(ti";
        break;
      default:
        result += c;
    }
  }
  return result;
}

// In lines of at most 80 bytes, where blanks allow it; none begins like a request.
std::string wrapped(const std::string& text) {
  constexpr std::size_t longest = 80;
  std::string result;
  std::size_t length = 0;
  std::istringstream words{text};
  for (std::string word; words >> word;) {
    const bool fits = length + 1 + word.size() <= longest;
    if (length > 0) result += fits ? ' ' : '\n';
    if (length > 0 && !fits && word.starts_with('.')) word.insert(0, "\\&");
    length = (length > 0 && fits ? length + 1 : 0) + word.size();
    result += word;
  }
  return result + "\n";
}

std::string bold(std::string_view text) { return "\\fB" + plain(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + plain(text) + "\\fR"; }

std::string option_head(const OptionText& option) {
  if (!option.positional.empty()) return italic(option.positional);
  std::string head;
  const auto add = [&](const std::string& name) {
    head += (head.empty() ? "" : ", ") + bold(name);
  };
  for (const std::string& name : option.short_names) add("-" + name);
  for (const std::string& name : option.long_names) add("--" + name);
  if (!option.type.empty()) head += " " + italic(option.type);
  return head;
}

std::string option_entries(const CommandText& command) {
  std::string text;
  for (const OptionText& option : command.options) {
    std::string about = plain(option.text);
    if (option.required) about += " (required)";
    if (!option.default_text.empty()) {
      about += fmt::format(" (default: {})", plain(option.default_text));
    }
    text += fmt::format(".TP\n{}\n{}", option_head(option), wrapped(about + "."));
  }
  return text;
}

std::string synopsis(const CommandText& command) {
  std::string text = fmt::format("{} {}", bold("tq"), bold(command.name));
  const auto words = [](OptionText option) {
    if (!option.long_names.empty()) option.short_names.clear();
    return option_head(option) + (option.repeated ? " ..." : "");
  };
  bool optional = false;
  for (const OptionText& option : command.options) {
    if (!option.positional.empty()) continue;
    if (option.required) text += " " + words(option);
    optional = optional || !option.required;
  }
  if (optional) text += " [" + italic("options") + "]";
  for (const OptionText& option : command.options) {
    if (option.positional.empty()) continue;
    text += option.required ? " " + words(option) : " [" + words(option) + "]";
  }
  return text + "\n";
}

std::string examples(const CommandText& command) {
  std::string text = ".nf\n.RS 4\n";
  for (const std::string& line : command.examples) {
    text += plain(std::string_view{line}.substr(std::min<std::size_t>(line.size(), 2))) + "\n";
  }
  return text + ".RE\n.fi\n";
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

// A paragraph, or an entry of a list.
struct Note {
  std::string key = {};
  std::string text = {};
};

// "  key  text" is an entry, and "       text" goes on with it; other lines are paragraphs.
std::vector<Note> joined(const std::vector<std::string>& lines) {
  std::vector<Note> notes;
  bool goes_on = false;
  for (const std::string& line : lines) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t gap = line.find("  ", begin);
    const bool entry = begin == 2 && gap != std::string::npos;
    if (entry) {
      notes.push_back({.key = line.substr(begin, gap - begin),
                       .text = line.substr(line.find_first_not_of(' ', gap))});
    } else if (goes_on && (begin > 2 || notes.back().key.empty())) {
      notes.back().text += " " + line.substr(begin);
    } else if (begin < line.size()) {
      notes.push_back({.text = line.substr(begin)});
    }
    goes_on = begin < line.size();
  }
  return notes;
}

// A paragraph such as "Environment:" is a section of the page where `sections` says so.
enum class Headings : std::uint8_t { prose, sections };
std::string notes(const std::vector<std::string>& lines, Headings headings) {
  std::string text;
  for (const Note& note : joined(lines)) {
    if (!note.key.empty()) {
      text += fmt::format(".TP\n{}\n{}", bold(note.key), wrapped(plain(note.text)));
    } else if (headings == Headings::sections && note.text.ends_with(':')) {
      text += ".SH " + upper(note.text.substr(0, note.text.size() - 1)) + "\n";
    } else {
      text += ".PP\n" + wrapped(plain(note.text));
    }
  }
  return text;
}

std::string command_section(const CommandText& command) {
  std::string text = fmt::format(".SS tq {}\n{}.\n.PP\n{}", plain(command.name),
                                 plain(command.summary), synopsis(command));
  text += option_entries(command) + notes(command.notes, Headings::prose);
  return text + ".PP\nExamples:\n.PP\n" + examples(command);
}

}  // namespace

std::string man_page(const ProgramText& tq, const std::string& day) {
  std::string text = fmt::format(".\\\" Made by: tq manual\n.TH TQ 1 {} \"{}\" \"User Commands\"\n",
                                 day, tq.version);
  text += ".SH NAME\ntq \\- job queues in ordinary tables of a database\n.SH SYNOPSIS\n";
  text += fmt::format("{} {} [{}] [{}]\n", bold("tq"), italic("COMMAND"), italic("options"),
                      italic("arguments"));
  text += ".SH DESCRIPTION\n";
  text += plain(tq.program.summary.substr(0, tq.program.summary.find('\n'))) + "\n";
  text += ".SH OPTIONS\nThese stand before or behind the name of a command.\n";
  text += option_entries(tq.program) + ".SH COMMANDS\n";
  for (const CommandText& command : tq.commands) text += command_section(command);
  text += notes(tq.program.notes, Headings::sections);
  return text + ".SH EXAMPLES\n" + examples(tq.program);
}

}  // namespace tq::cli
