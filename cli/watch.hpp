// Something that is shown again and again until Ctrl-C.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "output.hpp"
#include "tq/time.hpp"

namespace tq::cli {

enum class ShowAs : std::uint8_t {
  screen,  ///< drawn over on a terminal that can; one text after the other elsewhere
  lines,   ///< always one text after the other
};

/// Where it is shown. SIGINT and SIGTERM end the program with exit code 0, at any time, SIGHUP and
/// SIGQUIT as they usually do; each leaves the terminal as it was. One at a time.
class Screen {
 public:
  explicit Screen(ShowAs show_as);
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;
  ~Screen();

  /// What is drawn takes the place of what was drawn before.
  [[nodiscard]] bool drawn_over() const noexcept { return drawn_over_; }
  /// Shows the lines in one write, as much of them as the terminal has room for.
  void draw(const std::vector<std::string>& lines);
  /// Waits so long, and draws anew what was drawn last when the terminal's size changes.
  void wait(Duration pause);

 private:
  bool drawn_over_;
  std::vector<std::string> lines_;
};

/// `lines` as they fit into a terminal: no more than `rows`, each of at most `columns` characters.
[[nodiscard]] std::vector<std::string> fitted(const std::vector<std::string>& lines,
                                              std::size_t rows, std::size_t columns);

}  // namespace tq::cli
