#include "tq/statement.hpp"

#include <algorithm>
#include <atomic>
#include <limits>

#include "scanner.hpp"
#include "tq/error.hpp"

namespace tq {
namespace {

constexpr auto no_parameter = std::numeric_limits<std::size_t>::max();

std::uint64_t next_id() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

std::size_t index_of(const std::string& statement, const std::vector<Field>& parameters,
                     const std::string& name) {
  const auto found = std::ranges::find(parameters, name, &Field::name);
  if (found == parameters.end()) {
    throw Error{Errc::invalid_argument,
                "statement " + statement + ": parameter :" + name + " is not declared"};
  }
  return static_cast<std::size_t>(found - parameters.begin());
}

void trim(std::string& text, bool front, bool back) {
  constexpr auto blanks = " \t\r\n";
  if (front) text.erase(0, std::min(text.find_first_not_of(blanks), text.size()));
  if (back) text.erase(text.find_last_not_of(blanks) + 1);
}

[[noreturn]] void wrong_type(const char* wanted) {
  throw Error{Errc::failed, std::string{"a column that is declared as "} + wanted +
                                " came back as something else: the tables do not fit this library"};
}

}  // namespace

Statement::Statement(std::string name, std::string text, std::vector<Field> parameters,
                     std::vector<Field> columns, When when)
    : id_(next_id()),
      name_(std::move(name)),
      parameters_(std::move(parameters)),
      columns_(std::move(columns)),
      when_(when) {
  std::vector<bool> seen(parameters_.size());
  for (auto& piece : scan(name_, text)) {
    const auto parameter =
        piece.parameter ? index_of(name_, parameters_, piece.text) : no_parameter;
    if (piece.parameter) seen[parameter] = true;
    pieces_.push_back({piece.parameter ? std::string{} : std::move(piece.text), parameter});
  }
  const auto unused = std::ranges::find(seen, false);
  if (unused != seen.end()) {
    const auto& field = parameters_[static_cast<std::size_t>(unused - seen.begin())];
    throw Error{Errc::invalid_argument,
                "statement " + name_ + ": parameter :" + field.name + " does not occur"};
  }
  if (!pieces_.empty()) {
    trim(pieces_.front().text, true, pieces_.size() == 1);
    if (pieces_.size() > 1) trim(pieces_.back().text, false, true);
  }
}

Rendered Statement::render(Placeholders placeholders) const {
  const bool by_number =
      placeholders == Placeholders::dollar || placeholders == Placeholders::numbered;
  Rendered rendered;
  if (by_number) {
    for (std::size_t i = 0; i < parameters_.size(); ++i) rendered.order.push_back(i);
  }
  for (const auto& piece : pieces_) {
    if (piece.parameter == no_parameter) {
      rendered.text += piece.text;
      continue;
    }
    if (!by_number) rendered.order.push_back(piece.parameter);
    const auto number = std::to_string(by_number ? piece.parameter + 1 : rendered.order.size());
    switch (placeholders) {
      case Placeholders::dollar:
        rendered.text += "$" + number;
        break;
      case Placeholders::numbered:
        rendered.text += "?" + number;
        break;
      case Placeholders::question:
        rendered.text += "?";
        break;
      case Placeholders::colon:
        rendered.text += ":p" + number;
        break;
    }
  }
  return rendered;
}

Statement Statement::behind(const std::string& prefix, std::vector<Field> columns) const {
  Statement made = *this;
  made.id_ = next_id();
  made.pieces_.insert(made.pieces_.begin(), {prefix, no_parameter});
  made.columns_ = std::move(columns);
  return made;
}

void Rows::push(Value value) { values_.push_back(std::move(value)); }

std::int64_t integer(const Value& value) {
  const auto* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr) wrong_type("int64");
  return *number;
}

const std::string& text(const Value& value) {
  const auto* string = std::get_if<std::string>(&value);
  if (string == nullptr) wrong_type("text");
  return *string;
}

}  // namespace tq
