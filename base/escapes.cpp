#include "base/escapes.h"

#include "base/html_characters.h"
#include "base/text.h"
#include "base/utf8.h"

namespace tapedeck::base {
namespace {

/// Reads \uXXXX, and the second half of a surrogate pair.
Escape unicode_escape(std::string_view text) {
  const auto unit = hex_number(text.substr(2), 4);
  if (!unit) return {};
  const bool is_high = *unit >= 0xD800 && *unit < 0xDC00;
  const auto low = is_high && text.substr(6).starts_with("\\u") ? hex_number(text.substr(8), 4) : std::nullopt;
  if (low && *low >= 0xDC00 && *low < 0xE000) {
    return escape_of_character(0x10000 + ((*unit - 0xD800) << 10) + (*low - 0xDC00), 12);
  }
  return escape_of_character(*unit, 6);
}

}  // namespace

Escape escape_of_byte(char byte, std::size_t length) { return {static_cast<std::uint8_t>(length), {byte}, 1}; }

Escape escape_of_character(std::uint32_t code_point, std::size_t length) {
  Escape escape{static_cast<std::uint8_t>(length), {}, 0};
  escape.size = static_cast<std::uint8_t>(put_utf8(code_point, escape.bytes.data()));
  return escape;
}

std::optional<std::uint32_t> hex_number(std::string_view text, std::size_t digits) {
  return text.size() < digits ? std::nullopt : whole_number<std::uint32_t>(text.substr(0, digits), 16);
}

Escape percent_escape(std::string_view text) {
  if (text.size() < 3 || text[0] != '%' || !is_hex(text[1]) || !is_hex(text[2])) return {};
  return escape_of_byte(static_cast<char>(hex_value(text[1]) * 16 + hex_value(text[2])), 3);
}

Escape json_escape(std::string_view text) {
  constexpr std::string_view letters = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
  if (text.size() < 2 || text[0] != '\\') return {};
  if (text[1] == 'u') return unicode_escape(text);
  const std::size_t letter = letters.find(text[1]);
  return letter == npos ? Escape{} : escape_of_byte(meanings[letter], 2);
}

Escape html_escape(std::string_view text) {
  constexpr std::size_t longest = 13;
  const std::size_t end = text.substr(0, longest).find(';');
  if (!text.starts_with('&') || end == npos || end < 2) return {};
  const std::string_view name = text.substr(1, end - 1);
  if (name[0] != '#') {
    const std::uint32_t character = named_character(name);
    return character == 0 ? Escape{} : escape_of_character(character, end + 1);
  }
  const bool is_hex = name.size() > 1 && (name[1] == 'x' || name[1] == 'X');
  const auto number = whole_number<std::uint32_t>(name.substr(is_hex ? 2 : 1), is_hex ? 16 : 10);
  return number && *number <= 0x10FFFF ? escape_of_character(*number, end + 1) : Escape{};
}

std::string_view markup_escape(char c) {
  switch (c) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    default:
      return {};
  }
}

}  // namespace tapedeck::base
