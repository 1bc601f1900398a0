#include <charconv>
#include <chrono>
#include <cstdlib>
#include <string_view>

#include "commands.hpp"
#include "man_page.hpp"
#include "options.hpp"
#include "times.hpp"

namespace tq::cli {
namespace {

// Builds that must be the same each time set this:
// https://reproducible-builds.org/specs/source-date-epoch/
Timestamp day_of_page() {
  if (const char* given = std::getenv("SOURCE_DATE_EPOCH"); given != nullptr) {
    const std::string_view text = given;
    std::int64_t seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    constexpr std::int64_t last = 253'402'300'799;  // of the year 9999
    if (error == std::errc{} && seconds >= 0 && seconds <= last) {
      return Timestamp{std::chrono::seconds{seconds}};
    }
  }
  return std::chrono::floor<Duration>(std::chrono::system_clock::now());
}

class Manual final : public Command {
 public:
  CLI::App* describe(CLI::App& tq) override {
    tq_ = &tq;
    return add_command(tq, "manual", "Print the manual page tq(1)", group::help,
                       "  tq manual | man -l -\n"
                       "  tq manual > tq.1");
  }

  Exit run(Session& session) override {
    constexpr std::size_t day_characters = 10;
    session.out.write(
        man_page(read_program(*tq_), format_time(day_of_page()).substr(0, day_characters)));
    return Exit::done;
  }

 private:
  const CLI::App* tq_ = nullptr;
};

}  // namespace

std::unique_ptr<Command> make_manual() { return std::make_unique<Manual>(); }

}  // namespace tq::cli
