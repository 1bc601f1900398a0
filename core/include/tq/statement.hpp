// What a dialect says: whole SQL statements with named parameters and declared columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tq {

/// What a column gives: null, an integer, or UTF-8 text. There are no other types: times travel as
/// microseconds, identities and JSON as text.
using Value = std::variant<std::monostate, std::int64_t, std::string>;

/// What a parameter takes. A string_view must stay valid until the call returns.
using Argument = std::variant<std::monostate, std::int64_t, std::string_view>;

enum class Type : std::uint8_t { int64, text };

/// A declared parameter or column: no driver asks its client library for types.
struct Field {
  std::string name;
  Type type = Type::text;
  friend bool operator==(const Field&, const Field&) = default;
};

/// How a client library writes parameters.
enum class Placeholders : std::uint8_t {
  dollar,    ///< $1, $2; a repeated name repeats its number (libpq)
  numbered,  ///< ?1, ?2; a repeated name repeats its number (sqlite3)
  question,  ///< ? for each occurrence (ODBC, Connector/C++)
  colon,     ///< :p1, :p2 for each occurrence (SOCI)
};

/// A statement in a client library's own notation, without comments but for hints (/*+ … */).
struct Rendered {
  std::string text;
  std::vector<std::size_t> order;  ///< for each placeholder to bind, the index into parameters()
};

/// When a step of an operation is needed.
enum class When : std::uint8_t {
  always,
  waiting,  ///< if rows are to be waited for
  failed,   ///< if a job may have failed, so that its failure has to be kept
  grouped,  ///< if a job may belong to a group
};

/// One SQL statement. Its text names parameters `:name`. Immutable; any thread may use it.
class Statement {
 public:
  /// Scans `text` once. Throws Errc::invalid_argument for a placeholder that is not declared, a
  /// declared one that does not occur, and for what some client would misread (`::`, `:=`, `?`,
  /// `#`, a backslash, a nested comment, outside strings and comments).
  Statement(std::string name, std::string text, std::vector<Field> parameters,
            std::vector<Field> columns, When when = When::always);

  /// Distinguishes statements within a process: the key of a connection's prepared statements.
  [[nodiscard]] std::uint64_t id() const noexcept { return id_; }
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Elsewhere it would change nothing.
  [[nodiscard]] When when() const noexcept { return when_; }
  [[nodiscard]] Rendered render(Placeholders placeholders) const;
  /// The same statement behind `prefix`, with another answer: what an EXPLAIN is.
  [[nodiscard]] Statement behind(const std::string& prefix, std::vector<Field> columns) const;
  [[nodiscard]] std::span<const Field> parameters() const noexcept { return parameters_; }
  [[nodiscard]] std::span<const Field> columns() const noexcept { return columns_; }

 private:
  struct Piece {
    std::string text;
    std::size_t parameter;  // no_parameter: text only
  };
  std::uint64_t id_;
  std::string name_;
  std::vector<Piece> pieces_;
  std::vector<Field> parameters_;
  std::vector<Field> columns_;
  When when_;
};

/// Steps that are run in one transaction, in order. A step may take the parameter `picked`: the
/// rows of the last earlier step that has columns, as a JSON array of objects keyed by column
/// name; if that step gave no row, the step is left out. No steps: this dialect needs none.
struct Operation {
  std::vector<Statement> steps;
};

/// A statement with an argument for each of parameters(), in that order.
struct Call {
  const Statement& statement;
  std::span<const Argument> arguments;
};

/// The rows that a statement gave, in the order of the engine.
class Rows {
 public:
  Rows() = default;
  explicit Rows(std::size_t columns) : columns_(columns) {}

  [[nodiscard]] std::size_t size() const noexcept {
    return columns_ == 0 ? 0 : values_.size() / columns_;
  }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }
  [[nodiscard]] std::span<const Value> operator[](std::size_t row) const {
    return std::span{values_}.subspan(row * columns_, columns_);
  }
  /// Appends one value; a row is complete after columns() of them.
  void push(Value value);
  [[nodiscard]] std::size_t columns() const noexcept { return columns_; }

 private:
  std::size_t columns_ = 0;
  std::vector<Value> values_;
};

/// Reads a value that the statement declares as this type and never null there; anything else
/// throws Errc::failed.
[[nodiscard]] std::int64_t integer(const Value& value);
[[nodiscard]] const std::string& text(const Value& value);
[[nodiscard]] inline bool null(const Value& value) noexcept {
  return std::holds_alternative<std::monostate>(value);
}

}  // namespace tq
