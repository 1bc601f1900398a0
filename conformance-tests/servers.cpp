#include "servers.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>
#include <sstream>

#include "url.hpp"

namespace tq::conformance {
namespace {

Choice& chosen() {
  static Choice choice;
  return choice;
}

const std::vector<Pair>& pairs() {
  static const auto all = all_pairs();
  return all;
}

std::string from_environment(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

bool wanted(const Pair& pair) { return chosen().pair.empty() || pair.name == chosen().pair; }

bool takes(const Pair& pair, const std::string& url) {
  auto scheme = url.substr(0, url.find("://"));
  std::ranges::transform(scheme, scheme.begin(), [](unsigned char c) { return std::tolower(c); });
  return wanted(pair) && url.size() > scheme.size() && std::ranges::count(pair.schemes, scheme) > 0;
}

// URLs are separated by blanks there.
std::vector<std::string> named_by_environment(const Pair& pair) {
  std::vector<std::string> urls;
  for (const auto& variable : pair.variables) {
    std::istringstream words{from_environment(variable.c_str())};
    for (std::string url; words >> url;) urls.push_back(url);
  }
  if (urls.empty() && !pair.fallback.empty()) urls.push_back(pair.fallback);
  return urls;
}

std::vector<std::string> urls_of(const Pair& pair) {
  if (!wanted(pair)) return {};
  if (chosen().urls.empty()) return named_by_environment(pair);
  std::vector<std::string> urls;
  std::ranges::copy_if(chosen().urls, std::back_inserter(urls),
                       [&](const auto& url) { return takes(pair, url); });
  return urls;
}

std::vector<Server> find_servers() {
  std::vector<Server> found;
  std::set<std::string> names;
  for (const auto& pair : pairs()) {
    for (const auto& url : urls_of(pair)) {
      auto server = pair.server(url);
      server.pair = pair.name;
      server.url = url;
      const auto instance = server.instance;
      for (int n = 2; !names.insert(server.instance).second; ++n) {
        server.instance = instance + "_no" + std::to_string(n);
      }
      found.push_back(std::move(server));
    }
  }
  return found;
}

std::string all_schemes() {
  std::string text;
  for (const auto& pair : pairs()) {
    if (!wanted(pair)) continue;
    for (const auto& scheme : pair.schemes) text += " " + scheme + "://";
  }
  return text;
}

// No more of it is shown: where nothing is as it should be, a password may stand anywhere.
std::string beginning(const std::string& url) {
  const auto mark = url.find("://");
  return mark == std::string::npos ? "a URL without ://"
                                   : "the URL " + url.substr(0, mark) + "://…";
}

}  // namespace

void choose(Choice choice) {
  chosen() = std::move(choice);
  if (!chosen().pair.empty()) (void)pair_named(chosen().pair);
  for (const auto& url : chosen().urls) {
    if (std::ranges::none_of(pairs(), [&](const auto& pair) { return takes(pair, url); })) {
      throw UsageError{"no pair takes " + beginning(url) + "; a URL begins with one of" +
                       all_schemes()};
    }
  }
}

const std::vector<Server>& servers() {
  static const auto found = find_servers();
  return found;
}

const Pair& pair_named(const std::string& name) {
  const auto pair = std::ranges::find(pairs(), name, &Pair::name);
  if (pair != pairs().end()) return *pair;
  throw UsageError{"there is no pair '" + name + "' in this program; see --help"};
}

std::vector<std::string> pairs_beside(const std::string& pair) {
  const auto dialect = pair.substr(pair.rfind('_'));
  std::vector<std::string> names;
  for (const auto& one : pairs()) {
    if (one.name.ends_with(dialect)) names.push_back(one.name);
  }
  return names;
}

std::vector<std::string> listed(const char* variable) {
  std::istringstream items{from_environment(variable)};
  std::vector<std::string> names;
  for (std::string name; std::getline(items, name, ',');) {
    if (!name.empty()) names.push_back(name);
  }
  return names;
}

std::string without_passwords(std::string message) {
  auto urls = chosen().urls;
  for (const auto& pair : pairs()) {
    for (auto& url : named_by_environment(pair)) urls.push_back(std::move(url));
  }
  const auto secret = from_environment("TQ_DATABASE_PASSWORD");
  if (!secret.empty()) urls.push_back("x://:" + secret + "@");
  for (const auto& url : urls) message = cli::without_password(std::move(message), url);
  return message;
}

void PrintTo(const Server& server, std::ostream* out) {  // NOLINT(readability-identifier-naming)
  *out << server.version;
}

}  // namespace tq::conformance
