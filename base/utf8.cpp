#include "base/utf8.h"

#include <array>
#include <cstdint>
#include <cstring>

namespace tapedeck::base {

namespace {

/// So many bytes at the front are ASCII, counted in whole words.
std::size_t ascii_words(std::string_view bytes) {
  constexpr std::uint64_t high_bits = 0x8080808080808080;
  std::size_t at = 0;
  for (std::uint64_t word = 0; bytes.size() - at >= sizeof word; at += sizeof word) {
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if ((word & high_bits) != 0) break;
  }
  return at;
}

}  // namespace

Utf8Front utf8_front(std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead < 0xC2 || lead > 0xF4 ? 0 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (length == 0 || text.size() < length) return {};
  char32_t point = lead & (0x7Fu >> length);
  for (std::size_t at = 1; at < length; ++at) {
    if ((byte(at) & 0xC0) != 0x80) return {};
    point = point << 6 | (byte(at) & 0x3Fu);
  }
  constexpr std::array<char32_t, 5> smallest = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = point >= 0xD800 && point <= 0xDFFF;
  if (point < smallest[length] || point > 0x10FFFF || is_surrogate) return {};
  return {point, length};
}

bool is_utf8(std::string_view bytes) {
  for (;;) {
    bytes.remove_prefix(ascii_words(bytes));
    if (bytes.empty()) return true;
    const std::size_t length = utf8_front(bytes).length;
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
}

bool turns_or_breaks(char32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || (point >= 0x2028 && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069) || point == 0x200E || point == 0x200F || point == 0x061C;
}

}  // namespace tapedeck::base
