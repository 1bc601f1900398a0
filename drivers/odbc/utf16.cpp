#include "utf16.hpp"

#include <array>
#include <cstdint>

#include "tq/error.hpp"

namespace tq::odbc {
namespace {

constexpr std::uint32_t first_supplementary = 0x10000;
constexpr std::uint32_t last = 0x10FFFF;
constexpr std::uint32_t high_surrogate = 0xD800;
constexpr std::uint32_t low_surrogate = 0xDC00;
constexpr std::uint32_t end_of_surrogates = 0xE000;

// How many bytes a character has that begins with this one; 0: none does.
std::size_t length_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

// Takes the first character off `text`.
std::uint32_t take(std::string_view& text) {
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, first_supplementary};
  constexpr std::array<unsigned, 5> bits{0, 0x7F, 0x1F, 0x0F, 0x07};
  const auto first = static_cast<unsigned char>(text.front());
  const auto length = length_of(first);
  bool valid = length > 0 && length <= text.size();
  std::uint32_t character = first & bits.at(length);
  for (std::size_t i = 1; valid && i < length; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    valid = (next & 0xC0U) == 0x80U;
    character = character << 6U | (next & 0x3FU);
  }
  const bool surrogate = character >= high_surrogate && character < end_of_surrogates;
  if (!valid || character < least.at(length) || character > last || surrogate) {
    throw Error{Errc::invalid_argument, "a text is not valid UTF-8"};
  }
  text.remove_prefix(length);
  return character;
}

void append_utf8(std::string& text, std::uint32_t character) {
  const auto put = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  const auto follow = [&put, character](unsigned shift) {
    put(0x80U | (character >> shift & 0x3FU));
  };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xC0U | character >> 6U);
    follow(0);
  } else if (character < first_supplementary) {
    put(0xE0U | character >> 12U);
    follow(6);
    follow(0);
  } else {
    put(0xF0U | character >> 18U);
    follow(12);
    follow(6);
    follow(0);
  }
}

}  // namespace

std::vector<SQLWCHAR> to_utf16(std::string_view text) {
  std::vector<SQLWCHAR> units;
  units.reserve(text.size());
  while (!text.empty()) {
    const auto character = take(text);
    if (character < first_supplementary) {
      units.push_back(static_cast<SQLWCHAR>(character));
    } else {
      const auto rest = character - first_supplementary;
      units.push_back(static_cast<SQLWCHAR>(high_surrogate + (rest >> 10U)));
      units.push_back(static_cast<SQLWCHAR>(low_surrogate + (rest & 0x3FFU)));
    }
  }
  return units;
}

std::string to_utf8(const std::vector<SQLWCHAR>& text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::uint32_t character = text[i];
    if (character >= high_surrogate && character < end_of_surrogates) {
      const std::uint32_t low = i + 1 < text.size() ? text[i + 1] : 0;
      if (character >= low_surrogate || low < low_surrogate || low >= end_of_surrogates) {
        throw Error{Errc::failed, "a text of the database has half of a surrogate pair"};
      }
      character = first_supplementary + ((character - high_surrogate) << 10U) + low - low_surrogate;
      ++i;
    }
    append_utf8(bytes, character);
  }
  return bytes;
}

}  // namespace tq::odbc
