#include "values.hpp"

#include <charconv>

#include "tq/error.hpp"

namespace tq::soci_driver {
namespace {

bool fits(const Field& field, const Argument& argument) {
  if (std::holds_alternative<std::monostate>(argument)) return true;
  return std::holds_alternative<std::int64_t>(argument) == (field.type == Type::int64);
}

// As text, whatever the column's type, so that nothing is rounded or wraps around.
Value read_value(const Statement& statement, const Field& field, const std::string& text) {
  if (field.type == Type::text) return text;
  std::int64_t number = 0;
  const auto* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  if (failure != std::errc{} || rest != end) {
    throw Error{Errc::failed, statement.name() + ": column " + field.name + " is not an integer"};
  }
  return number;
}

}  // namespace

void check_arguments(const Statement& statement, std::span<const Argument> arguments) {
  const auto fields = statement.parameters();
  if (arguments.size() != fields.size()) {
    throw Error{Errc::invalid_argument, statement.name() + ": it takes " +
                                            std::to_string(fields.size()) + " arguments, not " +
                                            std::to_string(arguments.size())};
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!fits(fields[i], arguments[i])) {
      throw Error{Errc::invalid_argument,
                  statement.name() + ": the argument for " + fields[i].name + " has another type"};
    }
    const auto* const text = std::get_if<std::string_view>(&arguments[i]);
    if (text != nullptr && text->find('\0') != std::string_view::npos) {
      throw Error{Errc::invalid_argument, statement.name() + ": the argument for " +
                                              fields[i].name + " has a NUL character"};
    }
  }
}

Prepared::Prepared(soci::session& session, Backend& backend, const Statement& statement,
                   soci::details::statement_type type)
    : in_(statement.columns().size()), prepared_{session} {
  auto rendered = statement.render(Placeholders::colon);
  order_ = std::move(rendered.order);
  out_.resize(order_.size());
  prepared_.alloc();
  for (std::size_t i = 0; i < order_.size(); ++i) {
    auto& place = out_[i];
    if (statement.parameters()[order_[i]].type == Type::int64) {
      prepared_.exchange(soci::use(place.number, place.indicator));
    } else {
      backend.bind(prepared_, place.text, place.indicator);
    }
  }
  for (auto& place : in_) backend.place(prepared_, place.text, place.indicator);
  prepared_.prepare(rendered.text, type);
  prepared_.define_and_bind();
}

void Prepared::bind(std::span<const Argument> arguments) {
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const auto& argument = arguments[order_[i]];
    auto& place = out_[i];
    place.indicator = soci::i_ok;
    if (const auto* const number = std::get_if<std::int64_t>(&argument)) {
      place.number = *number;
    } else if (const auto* const text = std::get_if<std::string_view>(&argument)) {
      place.text = *text;
    } else {
      place.indicator = soci::i_null;
    }
  }
}

void Prepared::read_row(const Statement& statement, Rows& rows) const {
  for (std::size_t i = 0; i < in_.size(); ++i) {
    if (in_[i].indicator == soci::i_null) {
      rows.push(std::monostate{});
    } else {
      rows.push(read_value(statement, statement.columns()[i], in_[i].text));
    }
  }
}

Rows Prepared::run(Backend& backend, const Statement& statement,
                   std::span<const Argument> arguments) {
  bind(arguments);
  Rows rows{in_.size()};
  for (bool more = backend.start(prepared_, statement); more; more = prepared_.fetch()) {
    read_row(statement, rows);
  }
  backend.finish(prepared_);
  return rows;
}

}  // namespace tq::soci_driver
