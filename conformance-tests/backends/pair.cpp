#include "pair.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <sstream>

#include "url.hpp"

namespace tq::conformance {

std::vector<std::string> schemes(const Client& client, const std::vector<std::string>& dialects) {
  std::vector<std::string> all;
  if (client.is_default) all = dialects;
  for (const auto& dialect : dialects) all.push_back(dialect + "+" + client.driver);
  return all;
}

std::string address(const std::string& url) {
  const auto text = cli::parse_url(url).text();
  const char* secret = std::getenv("TQ_DATABASE_PASSWORD");
  return secret == nullptr ? text : cli::with_password(text, secret);
}

std::string inlined(const Statement& statement, std::span<const Argument> arguments,
                    const std::function<std::string(const Field&, const Argument&)>& literal) {
  const auto rendered = statement.render(Placeholders::question);
  std::string sql;
  char quote = 0;
  std::size_t place = 0;
  for (const char c : rendered.text) {
    if (quote == 0 && c == '?') {
      const auto index = rendered.order.at(place++);
      sql += literal(statement.parameters()[index], arguments[index]);
      continue;
    }
    if (quote == 0 && (c == '\'' || c == '"'))
      quote = c;
    else if (c == quote)
      quote = 0;
    sql += c;
  }
  return sql;
}

std::string text_literal(std::string_view text) {
  std::string literal = "'";
  for (const char c : text) literal.append(c == '\'' ? 2 : 1, c);
  return literal + "'";
}

std::vector<std::string> statements_of(const std::string& script) {
  std::vector<std::string> statements;
  std::istringstream in{script};
  for (std::string text; std::getline(in, text, ';');) {
    const bool blank = std::ranges::all_of(text, [](unsigned char c) { return std::isspace(c); });
    if (!blank) statements.push_back(text);
  }
  return statements;
}

std::vector<std::string> batches_of(const std::string& script) {
  std::vector<std::string> batches;
  std::string batch;
  std::istringstream in{script};
  const auto end_batch = [&] {
    const bool blank = std::ranges::all_of(batch, [](unsigned char c) { return std::isspace(c); });
    if (!blank) batches.push_back(batch);
    batch.clear();
  };
  for (std::string line; std::getline(in, line);) {
    if (line == "GO") {
      end_batch();
    } else if (!line.starts_with(':')) {
      batch += line + "\n";
    }
  }
  end_batch();
  return batches;
}

}  // namespace tq::conformance
