#include "url.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "usage_error.hpp"

namespace tq::cli {
namespace {

struct Span {
  std::size_t begin;
  std::size_t end;
};

constexpr std::string_view schema_parameter = "tq_schema";
// A shorter one would turn messages into stars, and guards nothing.
constexpr std::size_t shortest_secret = 4;

std::size_t rest_begin(std::string_view url) {
  const std::size_t mark = url.find("://");
  return mark == std::string_view::npos ? url.size() : mark + 3;
}

// From the first colon to the last @, so that an unescaped @ or / in a password stays hidden.
std::vector<Span> user_secret(std::string_view url) {
  const std::size_t begin = rest_begin(url);
  if (begin >= url.size() || url[begin] == '/') return {};
  const std::size_t at = url.rfind('@');
  const std::size_t colon = url.find(':', begin);
  if (at == std::string_view::npos || colon == std::string_view::npos || colon > at) return {};
  return {{colon + 1, at}};
}

std::size_t value_end(std::string_view text, std::size_t begin) {
  if (begin < text.size() && (text[begin] == '\'' || text[begin] == '{')) {
    const std::size_t close = text.find(text[begin] == '{' ? '}' : '\'', begin + 1);
    if (close != std::string_view::npos) return close + 1;
  }
  return std::min(text.find_first_of("&; ", begin), text.size());
}

std::string lower(std::string_view text) {
  std::string result{text};
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

// The values of password=, sslpassword=, pwd=, also in a key=value string.
void add_parameter_secrets(std::string_view url, std::vector<Span>& spans) {
  const std::string text = lower(url);
  // In a percent-encoded connection string of ODBC's nothing marks the end.
  for (const std::string_view name : {"password%3d", "pwd%3d"}) {
    const std::size_t at = text.find(name);
    if (at == std::string::npos) continue;
    spans.push_back({at + name.size(), std::min(text.find('&', at), text.size())});
  }
  for (const std::string_view name : {"password=", "passwd=", "pwd=", "secret="}) {
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
      at += name.size();
      spans.push_back({at, value_end(url, at)});
    }
  }
}

std::vector<Span> secrets(std::string_view url) {
  std::vector<Span> spans = user_secret(url);
  add_parameter_secrets(url, spans);
  std::ranges::sort(spans, {}, &Span::begin);
  return spans;
}

bool unreserved(char c) {
  const auto u = static_cast<unsigned char>(c);
  return u < 128 && (std::isalnum(u) != 0 || c == '-' || c == '.' || c == '_' || c == '~');
}

std::string percent_encoded(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (unreserved(c)) {
      result += c;
    } else {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return result;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
    text.replace(at, from.size(), to);
    at += to.size();
  }
}

std::string_view query_of(std::string_view rest) {
  const std::size_t mark = rest.find('?');
  return mark == std::string_view::npos ? std::string_view{} : rest.substr(mark + 1);
}

std::vector<std::string_view> parameters(std::string_view query) {
  std::vector<std::string_view> result;
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    result.push_back(query.substr(0, end));
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return result;
}

// Takes tq_schema out of `rest` and gives its value.
std::string take_schema(std::string& rest) {
  const std::string_view query = query_of(rest);
  const std::string name = std::string{schema_parameter} + "=";
  std::string kept;
  std::string schema;
  for (const std::string_view parameter : parameters(query)) {
    if (parameter.starts_with(name)) {
      schema = percent_decoded(parameter.substr(name.size()));
      if (schema.empty()) throw UsageError{"the URL's tq_schema is empty"};
    } else {
      kept += kept.empty() ? "?" : "&";
      kept += parameter;
    }
  }
  if (!schema.empty()) rest = rest.substr(0, rest.find('?')) + kept;
  return schema;
}

}  // namespace

std::string percent_decoded(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size() &&
                        std::isxdigit(static_cast<unsigned char>(text[i + 1])) != 0 &&
                        std::isxdigit(static_cast<unsigned char>(text[i + 2])) != 0;
    if (!escape) {
      result += text[i];
      continue;
    }
    result += static_cast<char>(std::stoi(std::string{text.substr(i + 1, 2)}, nullptr, 16));
    i += 2;
  }
  return result;
}

Url parse_url(std::string_view text) {
  const std::size_t mark = text.find("://");
  const std::string_view scheme = text.substr(0, mark);
  if (mark == std::string_view::npos || scheme.empty()) {
    throw UsageError{
        fmt::format("--db, or TQ_DATABASE_URL, is not a database URL; write sqlite:///jobs.db or "
                    "postgresql://user@host/database",
                    redacted(text))};
  }
  Url url;
  const std::size_t plus = scheme.find('+');
  url.dialect = lower(scheme.substr(0, plus));
  if (url.dialect == "postgres") url.dialect = "postgresql";
  if (url.dialect == "mariadb") url.dialect = "mysql";
  if (plus != std::string_view::npos) url.driver = lower(scheme.substr(plus + 1));
  url.rest = text.substr(mark + 3);
  url.schema = take_schema(url.rest);
  return url;
}

std::string redacted(std::string_view url) {
  std::string result;
  std::size_t at = 0;
  for (const Span& span : secrets(url)) {
    if (span.begin >= at) {
      result += url.substr(at, span.begin - at);
      result += "***";
    }
    at = std::max(at, span.end);
  }
  result += url.substr(at);
  return result;
}

std::optional<std::string> password(std::string_view url) {
  const std::vector<Span> spans = secrets(url);
  if (spans.empty()) return std::nullopt;
  return std::string{url.substr(spans.front().begin, spans.front().end - spans.front().begin)};
}

std::string with_password(const std::string& url, std::string_view secret) {
  if (secret.empty() || password(url)) return url;
  const std::size_t begin = rest_begin(url);
  const std::size_t end = std::min(url.find_first_of("/?", begin), url.size());
  const std::size_t at = url.rfind('@', end);
  const std::string inserted = ":" + percent_encoded(secret);
  if (at != std::string::npos && at >= begin) return std::string{url}.insert(at, inserted);
  return std::string{url}.insert(begin, inserted + "@");
}

std::string with_parameter(const std::string& url, std::string_view name, std::string_view value) {
  const std::string_view query = query_of(url);
  for (const std::string_view parameter : parameters(query)) {
    if (parameter.substr(0, parameter.find('=')) == name) return url;
  }
  return fmt::format("{}{}{}={}", url, query_of(url).empty() ? "?" : "&", name, value);
}

std::string without_password(std::string message, std::string_view url) {
  if (!url.empty()) replace_all(message, url, redacted(url));
  for (const Span& span : secrets(url)) {
    const std::string_view secret = url.substr(span.begin, span.end - span.begin);
    if (secret.size() < shortest_secret) continue;
    replace_all(message, secret, "***");
    replace_all(message, percent_decoded(secret), "***");
  }
  return message;
}

}  // namespace tq::cli
