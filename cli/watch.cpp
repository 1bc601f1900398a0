#include "watch.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <string_view>

namespace tq::cli {
namespace {

// The other screen of the terminal, without a cursor, so that what was there comes back.
// https://invisible-island.net/xterm/ctlseqs/ctlseqs.html
constexpr std::string_view enter = "\x1b[?1049h\x1b[?25l\x1b[H";
constexpr std::string_view leave = "\x1b[?25h\x1b[?1049l";
constexpr std::string_view home = "\x1b[H";
constexpr std::string_view erase_line_end = "\x1b[K";
constexpr std::string_view erase_below = "\x1b[J";

// Only reads go on meanwhile, so the program may end anywhere. Called by the system.
void leave_screen() { static_cast<void>(::write(STDOUT_FILENO, leave.data(), leave.size()) < 0); }
void end_on_terminal(int) {
  leave_screen();
  ::_exit(0);
}
// As the signal would without us, once this has returned.
void end_as_usual(int signal) {
  leave_screen();
  std::signal(signal, SIG_DFL);
  static_cast<void>(std::raise(signal));
}
void end_elsewhere(int) { ::_exit(0); }
void interrupt_wait(int) {}

void on(int signal, void (*handler)(int)) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;  // as nohup and a shell's background job want it
  action = {};
  action.sa_handler = handler;
  sigaction(signal, &action, nullptr);
}

void write_all(std::string_view text) {
  Output output;
  output.write(text);
  output.flush();
}

winsize size_of_terminal() {
  constexpr winsize usual{.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return known && size.ws_row > 0 && size.ws_col > 0 ? size : usual;
}

}  // namespace

Screen::Screen(ShowAs show_as) : drawn_over_(show_as == ShowAs::screen && draws_on_output()) {
  for (const int signal : {SIGINT, SIGTERM})
    on(signal, drawn_over_ ? end_on_terminal : end_elsewhere);
  if (!drawn_over_) return;
  for (const int signal : {SIGHUP, SIGQUIT}) on(signal, end_as_usual);
  on(SIGWINCH, interrupt_wait);
  write_all(enter);
}

Screen::~Screen() {
  if (drawn_over_) leave_screen();
}

void Screen::draw(const std::vector<std::string>& lines) {
  lines_ = lines;
  std::string text;
  if (!drawn_over_) {
    for (const std::string& line : lines) text += line + "\n";
    return write_all(text);
  }
  const winsize size = size_of_terminal();
  text = home;
  bool first = true;
  for (const std::string& line : fitted(lines, size.ws_row, size.ws_col)) {
    text += first ? "" : "\r\n";
    first = false;
    text += line;
    text += erase_line_end;
  }
  write_all(text.append(erase_below));
}

void Screen::wait(Duration pause) {
  const auto end = std::chrono::steady_clock::now() + pause;
  while (true) {
    const auto left =
        std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return;
    if (::poll(nullptr, 0, static_cast<int>(left.count())) < 0 && drawn_over_) {
      draw(std::vector<std::string>{lines_});
    }
  }
}

std::vector<std::string> fitted(const std::vector<std::string>& lines, std::size_t rows,
                                std::size_t columns) {
  std::vector<std::string> result{
      lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(rows, lines.size()))};
  if (lines.size() > rows && rows > 0) {
    result.back() = "… " + std::to_string(lines.size() - rows + 1) + " more lines";
  }
  for (std::string& line : result) line = shortened(line, columns);
  return result;
}

}  // namespace tq::cli
