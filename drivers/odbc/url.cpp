#include "url.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "connection_string.hpp"
#include "engines.hpp"
#include "servers/url.hpp"

namespace tq::odbc {
namespace {

constexpr servers::UrlForm server_form{
    .name = "odbc",
    .wanted =
        "postgresql+odbc://user@host:port/database?option=value, likewise mysql+odbc://, "
        "mariadb+odbc:// and sqlserver+odbc://, oracle+odbc://user@host:port/service, or "
        "sqlite+odbc:///file"};
constexpr servers::UrlForm file_form{
    .name = "odbc",
    .wanted = "sqlite+odbc:///relative.db or sqlite+odbc:////absolute.db",
    .place = servers::UrlForm::Place::file};

class Reader {
 public:
  explicit Reader(const std::string& text)
      : form_(text.starts_with("sqlite") ? file_form : server_form),
        url_(servers::read_url(text, form_)),
        engine_(engine_of(url_.scheme)) {}

  Target read() {
    target_.server = &engine_.server();
    if (target_.server == &servers::sqlite()) target_.sqlite = SqliteFile{.path = url_.path};
    for (const auto& parameter : url_.parameters) set(parameter);
    check_ways();
    target_.connection_string = whole_;
    if (!whole_.empty() && !whole_.ends_with(';')) target_.connection_string += ';';
    for (const auto& keyword : keywords()) target_.connection_string += written(keyword, braces());
    return std::move(target_);
  }

 private:
  using Parameter = servers::Url::Parameter;

  [[noreturn]] void refuse(const std::string& why) const { servers::refuse_url(form_, why); }

  const Engine& engine_of(std::string_view scheme) const {
    const auto plus = std::min(scheme.find('+'), scheme.size());
    const auto driver = scheme.substr(plus);
    if (!driver.empty() && driver != "+odbc") refuse("it names another driver");
    const auto* const engine = engine_called(scheme.substr(0, plus));
    if (engine == nullptr) {
      refuse("this driver does not know how to open " + std::string{scheme.substr(0, plus)});
    }
    return *engine;
  }

  std::string one_of(const Parameter& parameter, std::span<const std::string_view> allowed) const {
    if (std::ranges::find(allowed, parameter.value) != allowed.end()) return parameter.value;
    std::string list;
    for (const auto word : allowed) list.append(list.empty() ? "" : ", ").append(word);
    refuse(parameter.name + " is not one of " + list);
  }

  void set(const Parameter& parameter) {
    static constexpr std::array<std::string_view, 2> texts{"utf8", "utf16"};
    constexpr int one_day = 24 * 60 * 60;
    const auto& [name, value] = parameter;
    if (same_name(name, "driver")) {
      driver_ = value;
    } else if (same_name(name, "dsn")) {
      source_ = value;
    } else if (name == "odbc_connect") {
      whole_ = value;
    } else if (name == "connect_timeout") {
      target_.connect_timeout =
          std::chrono::seconds{servers::number_in_url(form_, name, value, 1, one_day)};
    } else if (name == "tq_text") {
      target_.text = one_of(parameter, texts) == "utf8" ? Text::utf8 : Text::utf16;
    } else if (!target_.sqlite || !set_sqlite(*target_.sqlite, parameter)) {
      if (name.starts_with("tq_")) refuse("the parameter " + name + " is unknown");
      named_.push_back({name, value});
    }
  }

  Braces braces() const {
    const bool psqlodbc = target_.server == &servers::postgresql();
    return psqlodbc ? Braces::password_only : Braces::any_value;
  }

  bool set_sqlite(SqliteFile& file, const Parameter& parameter) const {
    static constexpr std::array<std::string_view, 3> modes{"ro", "rw", "rwc"};
    static constexpr std::array<std::string_view, 3> levels{"full", "normal", "extra"};
    static constexpr std::array<std::string_view, 2> journals{"wal", "delete"};
    constexpr int one_day_ms = 24 * 60 * 60 * 1000;
    const auto& [name, value] = parameter;
    if (name == "mode") {
      file.mode = one_of(parameter, modes);
    } else if (name == "synchronous") {
      file.synchronous = one_of(parameter, levels);
    } else if (name == "journal_mode") {
      file.journal_mode = one_of(parameter, journals);
      file.journal_mode_named = true;
    } else if (name == "busy_timeout") {
      file.busy_timeout =
          std::chrono::milliseconds{servers::number_in_url(form_, name, value, 0, one_day_ms)};
    } else {
      return false;
    }
    return true;
  }

  void check_ways() const {
    const auto ways = std::ranges::count(std::array{driver_, source_, whole_}, std::string{});
    if (ways < 2) refuse("of driver, dsn and odbc_connect there can be one");
    const auto& password = url_.password;
    if (target_.server == &servers::mysql() && driver_.empty() &&
        (password.starts_with(' ') || password.ends_with(' '))) {
      refuse("MariaDB Connector/ODBC takes blanks off the ends of a password; change it");
    }
    const bool elsewhere = !source_.empty() || !whole_.empty();
    if (target_.sqlite && url_.path.empty() && !elsewhere) refuse("the path is empty");
  }

  // What the parts of the URL say.
  Keywords place() const {
    Keywords all;
    const auto add = [&all](std::string_view name, const std::string& value) {
      if (!value.empty()) all.push_back({std::string{name}, value});
    };
    add("DSN", source_);
    if (source_.empty() && whole_.empty()) {
      add("Driver", driver_.empty() ? std::string{engine_.driver} : driver_);
    }
    if (target_.sqlite) {
      if (!url_.path.empty()) add("Database", sqlite_database(*target_.sqlite));
      return all;
    }
    if (engine_.place != nullptr) {
      auto [name, value] = engine_.place(url_, target_);
      add(name, value);
      add("UID", url_.user);
      add("PWD", url_.password);
      return all;
    }
    const bool socket = url_.host.starts_with('/') && !engine_.socket.empty();
    // FreeTDS takes host,port too, but then sends the server's name with a zero in it.
    const std::string_view port =
        same_name(driver_, "FreeTDS") ? std::string_view{"Port"} : engine_.port;
    const bool behind = port.empty() && !url_.port.empty();
    add(socket ? engine_.socket : "Server", behind ? url_.host + "," + url_.port : url_.host);
    if (!behind) add(port, url_.port);
    add("Database", url_.path);
    add("UID", url_.user);
    add("PWD", url_.password);
    return all;
  }

  static bool has(const Keywords& keywords, std::string_view name) {
    return std::ranges::any_of(keywords,
                               [name](const Keyword& k) { return same_name(k.name, name); });
  }

  Keywords keywords() const {
    auto all = place();
    Keywords given = named_;  // of odbc_connect the names alone
    for (auto& name : names_in(whole_)) given.push_back({std::move(name), {}});
    const auto always = engine_.always(target_);
    for (const auto& keyword : given) {
      if (has(always, keyword.name)) refuse("TableQueue itself says " + keyword.name);
      if (has(all, keyword.name)) refuse("it says " + keyword.name + " twice");
    }
    // Parameters of a URL are printed, but for its password.
    if (has(named_, "PWD") || has(named_, "Password")) {
      refuse("the password stands before the host");
    }
    all.insert(all.end(), named_.begin(), named_.end());
    all.insert(all.end(), always.begin(), always.end());
    for (const auto& keyword : engine_.usually()) {
      const bool said = has(given, keyword.name) || !source_.empty();  // maybe by the data source
      if (!said) all.push_back(keyword);
    }
    return all;
  }

  const servers::UrlForm& form_;
  servers::Url url_;
  const Engine& engine_;
  Target target_ = {};
  std::string driver_ = {};
  std::string source_ = {};
  std::string whole_ = {};
  Keywords named_ = {};
};

}  // namespace

Target parse_url(const std::string& url) { return Reader{url}.read(); }

}  // namespace tq::odbc
