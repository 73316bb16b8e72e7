#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/text.h"

namespace tapedeck::base {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

bool is_plain(char c) { return c >= 0x20 && c < 0x7F; }

/// Returns the position of the first byte from `at` on that may begin an unsafe character for terminals, or the text's
/// size.
std::size_t next_suspect(std::string_view text, std::size_t at) {
  const auto is_suspect = [](char c) { return c == '\x7f' || c == '\xc2' || c == '\xd8' || c == '\xe2'; };
  const auto found =
      std::find_if(text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size())), text.end(), is_suspect);
  return static_cast<std::size_t>(found - text.begin());
}

/// Returns how many bytes at the front are ASCII, counted in whole words.
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

std::size_t put_utf8(std::uint32_t code_point, char* out) {
  const auto tail = [&](unsigned shift) { return static_cast<char>(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x80) {
    out[0] = static_cast<char>(code_point);
    return 1;
  }
  if (code_point < 0x800) {
    out[0] = static_cast<char>(0xC0 | (code_point >> 6));
    out[1] = tail(0);
    return 2;
  }
  if (code_point < 0x10000) {
    out[0] = static_cast<char>(0xE0 | (code_point >> 12));
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<char>(0xF0 | (code_point >> 18));
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

std::string to_utf16(std::string_view text, bool big_endian) {
  std::string out;
  const auto put_unit = [&](std::uint32_t unit) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
    out += big_endian ? high : low;
    out += big_endian ? low : high;
  };
  while (!text.empty()) {
    const auto [code_point, length] = utf8_front(text);
    const std::uint32_t value = length == 0 ? static_cast<std::uint8_t>(text.front()) : code_point;
    text.remove_prefix(std::max<std::size_t>(length, 1));
    if (value < 0x10000) {
      put_unit(value);
    } else {
      put_unit(0xD800 + ((value - 0x10000) >> 10));
      put_unit(0xDC00 + ((value - 0x10000) & 0x3FF));
    }
  }
  return out;
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

std::string printable(std::string_view text, bool keep_lines) {
  std::string out;
  while (true) {
    const auto plain = std::find_if_not(text.begin(), text.end(), is_plain);
    out.append(text.begin(), plain);
    text.remove_prefix(static_cast<std::size_t>(plain - text.begin()));
    if (text.empty()) return out;
    const Utf8Front next = utf8_front(text);
    const std::size_t length = std::max<std::size_t>(next.length, 1);
    const bool kept_line = keep_lines && (text[0] == '\n' || text[0] == '\t');
    if (next.length > 0 && (kept_line || !turns_or_breaks(next.code_point))) {
      out += text.substr(0, length);
    } else {
      for (const char c : text.substr(0, length)) append_hex(out.append("\\x"), c);
    }
    text.remove_prefix(length);
  }
}

std::string printable_json(std::string text) {
  std::size_t at = next_suspect(text, 0);
  if (at == text.size()) return text;
  std::string out;
  std::size_t done = 0;
  for (; at < text.size(); at = next_suspect(text, at + 1)) {
    const Utf8Front front = utf8_front(std::string_view(text).substr(at));
    if (front.length == 0 || !turns_or_breaks(front.code_point)) continue;
    out.append(text, done, at - done).append("\\u");
    append_hex(out, static_cast<char>(front.code_point >> 8));
    append_hex(out, static_cast<char>(front.code_point & 0xFF));
    done = at + front.length;
  }
  return out.append(text, done);
}

std::string_view utf8_prefix(std::string_view text, std::size_t most) {
  constexpr std::size_t longest_character = 4;
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && most - end < longest_character && continues(text[end])) --end;
  return text.substr(0, continues(text[end]) ? most : end);  // the text may not be valid UTF-8
}

std::string shortened(std::string_view text, std::size_t most) {
  const std::string_view begin = utf8_prefix(text, most);
  return std::string(begin) + (begin.size() < text.size() ? "…" : "");
}

}  // namespace tapedeck::base
