#include "tq/doctor.hpp"

#include <fmt/color.h>
#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "json.hpp"
#include "options.hpp"
#include "tq/error.hpp"
#include "url.hpp"

namespace tq::cli {
namespace {

// What the core calls `tq init`, with the database that it is to be run on.
std::string with_database(std::string advice, const Database& database) {
  constexpr std::string_view command = "`tq init";
  const std::size_t at = advice.find(command);
  if (at == std::string::npos) return advice;
  return advice.insert(at + command.size(), fmt::format(" --db '{}'", database.shown));
}

std::vector<Finding> look_at(const Database& database) {
  try {
    const std::unique_ptr<Connection> connection = database.connect();
    return examine(*connection, database.queue.dialect());
  } catch (const Error& error) {
    if (error.code() == Errc::invalid_argument) throw;  // a URL that cannot be meant: wrong usage
    return {{.subject = "connection",
             .verdict = Verdict::problem,
             .found = error.what(),
             .advice = {}}};
  }
}

fmt::text_style style_of(Verdict verdict) {
  if (!colours_on_output() || verdict == Verdict::ok) return {};
  return fmt::fg(verdict == Verdict::advice ? fmt::terminal_color::yellow
                                            : fmt::terminal_color::red);
}

class Doctor final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    return add_command(
        tq, "doctor", "Check a database, its settings and tables; say what to do", group::look,
        "  tq doctor\n"
        "  tq doctor --db sqlite:///jobs.db --db postgresql://app@localhost/shop\n"
        "  tq doctor --json | jq 'select(.verdict != \"ok\")'\n\n"
        "ok: as it should be. advice: it works, but somebody should know, or could have it "
        "better.\n"
        "problem: it does not work, or will not for long, or jobs may be lost.\n"
        "Changes nothing. Run it as the role that the application, or the workers, have.\n"
        "Exit codes: 0 no problem (there may be advice); 1 a problem, in any of the databases;\n"
        "2 wrong usage, as everywhere, such as a URL that cannot be read.");
  }

  Exit run(Session& session) override {
    Exit exit = Exit::done;
    bool first = true;
    for (const Database& database : session.databases()) {
      std::vector<Finding> findings = look_at(database);
      for (Finding& finding : findings) {
        finding.found = session.without_secrets(printable(finding.found));
        finding.advice = with_database(printable(finding.advice), database);
        if (finding.verdict == Verdict::problem) exit = Exit::failed;
      }
      if (session.json) {
        for (const Finding& finding : findings) session.out.line(json(database, finding));
      } else {
        if (!first) session.out.line("");
        print(session.out, database, findings);
      }
      first = false;
    }
    return exit;
  }

 private:
  static std::string json(const Database& database, const Finding& finding) {
    JsonLine line;
    line.text("database", database.shown)
        .text("subject", finding.subject)
        .text("verdict", name(finding.verdict))
        .text("found", finding.found)
        .optional_text("advice",
                       finding.advice.empty() ? std::nullopt : std::optional{finding.advice});
    return line.str();
  }

  static void print(Output& out, const Database& database, const std::vector<Finding>& findings) {
    const std::size_t width = std::ranges::max(findings, {}, [](const Finding& finding) {
                                return finding.subject.size();
                              }).subject.size();
    const auto heading = colours_on_output() ? fmt::emphasis::bold : fmt::text_style{};
    out.line(database.shown);
    out.line(fmt::format(heading, "{:<{}}  {:<7}  {}", "SUBJECT", width, "VERDICT", "FOUND"));
    for (const Finding& finding : findings) {
      const std::string verdict = fmt::format("{:<7}", name(finding.verdict));
      out.line(fmt::format("{:<{}}  {}  {}", finding.subject, width,
                           fmt::format(style_of(finding.verdict), "{}", verdict), finding.found));
      if (!finding.advice.empty()) out.line(fmt::format("{:<{}}  {}", "", width, finding.advice));
    }
    out.line(fmt::format("problems: {}, advice: {}", count(findings, Verdict::problem),
                         count(findings, Verdict::advice)));
  }

  static std::ptrdiff_t count(const std::vector<Finding>& findings, Verdict verdict) {
    return std::ranges::count(findings, verdict, &Finding::verdict);
  }
};

}  // namespace

std::unique_ptr<Command> make_doctor() { return std::make_unique<Doctor>(); }

}  // namespace tq::cli
