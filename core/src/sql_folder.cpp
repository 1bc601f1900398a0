#include <algorithm>
#include <cctype>
#include <charconv>

#include "scanner.hpp"
#include "tq/dialect.hpp"
#include "tq/error.hpp"

namespace tq {
namespace {

[[noreturn]] void refuse(std::string_view path, const std::string& why) {
  throw Error{Errc::invalid_argument, "sql file " + std::string{path} + ": " + why};
}

std::string schema_prefix(const std::string& schema) {
  if (schema.empty()) return {};
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  const bool letter_first = schema.front() >= 'a' && schema.front() <= 'z';
  if (schema.size() > 30 || !letter_first || !std::ranges::all_of(schema, allowed)) {
    throw Error{Errc::invalid_argument,
                "schema: a name has 1 to 30 characters a-z, 0-9 and _, and begins with a letter"};
  }
  return schema + ".";
}

std::string with_schema(std::string_view text, const std::string& prefix) {
  constexpr std::string_view mark = "{schema}";
  std::string out;
  for (auto at = text.find(mark); at != std::string_view::npos; at = text.find(mark)) {
    out.append(text.substr(0, at)).append(prefix);
    text.remove_prefix(at + mark.size());
  }
  return out.append(text);
}

// Calls `each` with every line, without its line break.
template <class Each>
void for_each_line(std::string_view text, Each each) {
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    each(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string_view trimmed(std::string_view text) {
  constexpr auto blanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

// "jobs text, wait int64"
std::vector<Field> parse_fields(std::string_view path, std::string_view list) {
  std::vector<Field> fields;
  list = trimmed(list);
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    const auto item = trimmed(list.substr(0, end));
    const auto blank = item.find(' ');
    const auto type = blank == std::string_view::npos ? item : trimmed(item.substr(blank));
    if (blank == std::string_view::npos || (type != "int64" && type != "text")) {
      refuse(path, "a field is `name int64` or `name text`, not `" + std::string{item} + "`");
    }
    fields.push_back(
        {std::string{item.substr(0, blank)}, type == "int64" ? Type::int64 : Type::text});
    list = trimmed(list.substr(std::min(end + 1, list.size())));
  }
  return fields;
}

When parse_when(std::string_view path, std::string_view text) {
  if (text == "waiting") return When::waiting;
  if (text == "failed") return When::failed;
  if (text == "grouped") return When::grouped;
  refuse(path, "a step is for `waiting`, `failed` or `grouped`, not `" + std::string{text} + "`");
}

struct Step {
  std::string text;
  std::vector<Field> columns;
  When when = When::always;
};

struct ParsedFile {
  std::vector<Field> parameters;
  std::vector<Step> steps;
};

ParsedFile parse(std::string_view path, std::string_view text) {
  constexpr std::string_view parameters = "-- parameters:";
  constexpr std::string_view columns = "-- columns:";
  constexpr std::string_view when = "-- when:";
  ParsedFile file{.parameters = {{"picked", Type::text}}, .steps = {{}}};
  for_each_line(text, [&](std::string_view line) {
    if (trimmed(line) == "-- step") {
      file.steps.emplace_back();
    } else if (line.starts_with(parameters)) {
      std::ranges::move(parse_fields(path, line.substr(parameters.size())),
                        std::back_inserter(file.parameters));
    } else if (line.starts_with(columns)) {
      file.steps.back().columns = parse_fields(path, line.substr(columns.size()));
    } else if (line.starts_with(when)) {
      file.steps.back().when = parse_when(path, trimmed(line.substr(when.size())));
    } else {
      file.steps.back().text.append(line).append("\n");
    }
  });
  return file;
}

bool blank(std::string_view text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isspace(c) != 0; });
}

bool has_sql(std::string_view path, std::string_view text) {
  return std::ranges::any_of(scan(path, text), [](const ScannedPiece& piece) {
    return piece.parameter || !blank(piece.text);
  });
}

std::vector<Field> used_fields(std::string_view path, const Step& step,
                               const std::vector<Field>& declared) {
  std::vector<Field> used;
  for (const auto& piece : scan(path, step.text)) {
    if (!piece.parameter || std::ranges::count(used, piece.text, &Field::name) > 0) continue;
    const auto found = std::ranges::find(declared, piece.text, &Field::name);
    if (found == declared.end()) refuse(path, "parameter :" + piece.text + " is not declared");
    used.push_back(*found);
  }
  return used;
}

}  // namespace

SqlFolder::SqlFolder(std::vector<SqlFile> files, const DialectOptions& options)
    : files_(std::move(files)), prefix_(schema_prefix(options.schema)) {
  std::ranges::sort(files_, {}, &SqlFile::path);
}

Operation SqlFolder::operation(std::string_view name) const {
  const auto path = std::string{name} + ".sql";
  const auto found = std::ranges::find(files_, path, &SqlFile::path);
  if (found == files_.end()) refuse(path, "it is missing");
  const auto file = parse(path, with_schema(found->text, prefix_));
  Operation operation;
  for (const auto& step : file.steps) {
    if (!has_sql(path, step.text)) continue;
    operation.steps.emplace_back(std::string{name}, step.text,
                                 used_fields(path, step, file.parameters), step.columns, step.when);
  }
  return operation;
}

Statement SqlFolder::statement(std::string_view name) const {
  auto steps = operation(name).steps;
  if (steps.size() != 1) refuse(name, "exactly one statement is wanted");
  return std::move(steps.front());
}

std::optional<Statement> SqlFolder::optional(std::string_view name) const {
  auto steps = operation(name).steps;
  if (steps.empty()) return std::nullopt;
  if (steps.size() != 1) refuse(name, "one statement or none is wanted");
  return std::move(steps.front());
}

// migrations/0001_tables.sql is version 1, "tables".
std::vector<Migration> SqlFolder::migrations() const {
  constexpr std::string_view folder = "migrations/";
  std::vector<Migration> migrations;
  for (const auto& file : files_) {
    if (!file.path.starts_with(folder)) continue;
    const auto base = file.path.substr(folder.size());
    const auto dash = base.find('_');
    Migration migration{.version = 0,
                        .name = std::string{base.substr(dash + 1, base.rfind('.') - dash - 1)},
                        .texts = {}};
    std::from_chars(base.data(), base.data() + std::min(dash, base.size()), migration.version);
    if (migration.version != static_cast<int>(migrations.size()) + 1) {
      refuse(file.path, "versions count up from 1 without a gap");
    }
    for (const auto& step : parse(file.path, with_schema(file.text, prefix_)).steps) {
      std::string text;
      for (auto& piece : scan(file.path, step.text)) text += piece.text;
      if (!blank(text)) migration.texts.emplace_back(trimmed(text));
    }
    migrations.push_back(std::move(migration));
  }
  return migrations;
}

}  // namespace tq
