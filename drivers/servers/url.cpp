#include "servers/url.hpp"

#include <algorithm>
#include <charconv>

#include "tq/error.hpp"

namespace tq::servers {
namespace {

class Reader {
 public:
  explicit Reader(const UrlForm& form) : form_(form) {}

  Url read(std::string_view text) {
    const auto mark = text.find("://");
    if (mark == std::string_view::npos) refuse("it has no ://");
    Url url;
    url.scheme = text.substr(0, mark);
    auto query = text.substr(mark + 3);
    auto place = take_until(query, '?');
    const bool path_follows = place.find('/') != std::string_view::npos;
    auto authority = take_until(place, '/');
    add_parameters(url, query);
    if (form_.place == UrlForm::Place::file) {
      if (!authority.empty() || !path_follows) refuse("there is no host");
    } else {
      set_authority(url, authority);
      if (place.find('@') != std::string_view::npos) refuse("it has an @ too many");
      if (place.find('/') != std::string_view::npos) refuse("the database's name has a /");
    }
    url.path = decoded(place);
    return url;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const { refuse_url(form_, why); }

  // What stands before the first `mark`, which is then gone from `text` with it.
  static std::string_view take_until(std::string_view& text, char mark) {
    const auto end = std::min(text.find(mark), text.size());
    const auto taken = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return taken;
  }

  int hex_digit(char c) const {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    refuse("% must be followed by two hexadecimal digits; a percent sign is written as %25");
  }

  // Client libraries take C strings, so a NUL would cut them off.
  std::string decoded(std::string_view text) const {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (text[i] != '%') {
        result += text[i];
        continue;
      }
      const auto digits = text.substr(i + 1, 2);
      const int high = hex_digit(digits.empty() ? '\0' : digits[0]);
      const int low = hex_digit(digits.size() < 2 ? '\0' : digits[1]);
      result += static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (result.find('\0') != std::string::npos) refuse("it has a NUL character");
    return result;
  }

  void add_parameters(Url& url, std::string_view query) const {
    // An unescaped ? in a password makes the rest of it look like parameters.
    if (query.find('@') != std::string_view::npos) refuse("it has an @ behind a ?");
    while (!query.empty()) {
      auto value = take_until(query, '&');
      if (value.empty()) continue;
      auto name = decoded(take_until(value, '='));
      if (value.empty()) refuse("the parameter " + name + " has no value");
      url.parameters.push_back({std::move(name), decoded(value)});
    }
  }

  void set_authority(Url& url, std::string_view text) const {
    if (std::ranges::count(text, '@') > 1) refuse("it has an @ too many");
    const auto at = text.find('@');
    if (at != std::string_view::npos) {
      auto user = text.substr(0, at);
      url.user = decoded(take_until(user, ':'));
      url.password = decoded(user);
      text.remove_prefix(at + 1);
    }
    set_host(url, text);
  }

  void set_host(Url& url, std::string_view text) const {
    if (text.starts_with('[')) {
      const auto close = text.find(']');
      if (close == std::string_view::npos) refuse("a [ has no ]");
      url.host = decoded(text.substr(1, close - 1));
      text.remove_prefix(close + 1);
      if (!text.empty() && text.front() != ':') refuse("something stands behind the ]");
      text.remove_prefix(std::min<std::size_t>(1, text.size()));
    } else {
      url.host = decoded(take_until(text, ':'));
    }
    // It may be a socket's path.
    const auto* odd = url.host.starts_with('/') ? " \t\r\n" : "/[] \t\r\n";
    if (url.host.find_first_of(odd) != std::string::npos) refuse("the host is odd");
    constexpr int highest = 65535;
    if (!text.empty()) {
      url.port = std::to_string(number_in_url(form_, "the port", text, 1, highest));
    }
  }

  const UrlForm& form_;
};

}  // namespace

Url read_url(std::string_view text, const UrlForm& form) { return Reader{form}.read(text); }

void refuse_url(const UrlForm& form, const std::string& why) {
  std::string message{"the "};
  message.append(form.name).append(" URL is not valid: ").append(why);
  message.append("; wanted is ").append(form.wanted);
  if (form.place == UrlForm::Place::server) {
    message += " (with @ : / ? # in a name or password written as %40 %3A %2F %3F %23)";
  }
  throw Error{Errc::invalid_argument, message};
}

int number_in_url(const UrlForm& form, std::string_view what, std::string_view text, int least,
                  int most) {
  int value = least - 1;
  const auto* const end = text.data() + text.size();
  const auto [rest, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc{} || rest != end || value < least || value > most) {
    refuse_url(form, std::string{what} + " is not a number from " + std::to_string(least) + " to " +
                         std::to_string(most));
  }
  return value;
}

}  // namespace tq::servers
