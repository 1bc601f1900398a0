#include "places.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <random>
#include <sstream>
#include <vector>

#include "servers.hpp"
#include "url.hpp"

namespace tq::conformance {
namespace {

// In memory, since the lines hold URLs with their passwords. -1: there is none.
int journal = -1;

struct Entry {
  std::string pair;
  std::string url;
  std::string name;

  [[nodiscard]] bool operator==(const Entry&) const = default;
};

// One write, so that threads do not mix their lines.
void note(char what, const Entry& entry) {
  if (journal == -1) return;
  const auto line = what + entry.pair + '\t' + entry.url + '\t' + entry.name + '\n';
  if (::write(journal, line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    throw RawError{"the journal of places cannot be written"};
  }
}

std::vector<Entry> left_in_journal() {
  constexpr std::size_t chunk = 4096;
  std::string text;
  std::string buffer(chunk, '\0');
  ::lseek(journal, 0, SEEK_SET);
  for (ssize_t got = 0; (got = ::read(journal, buffer.data(), chunk)) > 0;) {
    text.append(buffer, 0, static_cast<std::size_t>(got));
  }
  std::vector<Entry> left;
  std::istringstream lines{text};
  for (char what = 0; lines >> what;) {
    Entry entry;
    std::getline(lines, entry.pair, '\t');
    std::getline(lines, entry.url, '\t');
    std::getline(lines, entry.name);
    if (what == '+') left.push_back(entry);
    if (what == '-') std::erase(left, entry);
  }
  return left;
}

// This process and a random part: at most 30 characters.
std::string unique_name() {
  std::random_device random;
  std::ostringstream name;
  name << "tqc_" << ::getpid() << '_' << std::hex << random();
  return name.str();
}

}  // namespace

void RemovePlace::operator()(Place* place) const noexcept {
  const std::unique_ptr<Place> owned{place};
  try {
    owned->remove();
    note('-', {.pair = pair, .url = url, .name = owned->name()});
  } catch (const std::exception&) {
    // It stays in the journal; remove_leftovers() tries again, and complains.
    return;
  }
}

OwnPlace make_place(const Server& server) {
  const Entry entry{.pair = server.pair, .url = server.url, .name = unique_name()};
  note('+', entry);
  auto place = pair_named(entry.pair).place(entry.url, entry.name);
  return {place.release(), RemovePlace{.pair = entry.pair, .url = entry.url}};
}

void begin_journal() { journal = ::memfd_create("places", MFD_CLOEXEC); }

int remove_leftovers() {
  int left = 0;
  for (const auto& entry : left_in_journal()) {
    const auto place = pair_named(entry.pair).place(entry.url, entry.name);
    try {
      place->remove();
    } catch (const std::exception& error) {
      ++left;
      std::cerr << "tq-conformance: left behind at " << cli::redacted(entry.url) << ", since "
                << without_passwords(error.what()) << "\n  remove it by: " << place->how_to_remove()
                << '\n';
    }
  }
  return left;
}

}  // namespace tq::conformance
