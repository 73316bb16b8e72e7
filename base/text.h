#pragma once
// Contains functions for ASCII text that do not depend on the locale.

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::base {

inline constexpr auto npos = std::string_view::npos;

[[nodiscard]] constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
[[nodiscard]] constexpr bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
[[nodiscard]] constexpr bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
[[nodiscard]] constexpr bool is_letter(char c) { return is_lower(c) || is_upper(c); }
[[nodiscard]] constexpr bool is_alnum(char c) { return is_digit(c) || is_letter(c); }

/// Returns letters in lower case and everything else unchanged.
[[nodiscard]] constexpr char fold(char c) { return is_upper(c) ? static_cast<char>(c + ('a' - 'A')) : c; }
[[nodiscard]] std::string fold(std::string_view text);

[[nodiscard]] constexpr char upper(char c) { return is_lower(c) ? static_cast<char>(c - ('a' - 'A')) : c; }

/// Compares `size` bytes without case.
[[nodiscard]] bool same_letters(const char* a, const char* b, std::size_t size);
/// Compares two texts without case. Compares the lengths first, because most differ.
[[nodiscard]] inline bool equal_no_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && same_letters(a.data(), b.data(), a.size());
}

/// Returns true for space and tab, the white space of HTTP.
[[nodiscard]] constexpr bool is_blank(char c) { return c == ' ' || c == '\t'; }
/// Removes blanks at the front.
[[nodiscard]] constexpr std::string_view trim_front(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}
/// Removes blanks at both ends.
[[nodiscard]] constexpr std::string_view trim(std::string_view text) {
  text = trim_front(text);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}
/// Removes other characters at both ends.
[[nodiscard]] std::string_view trim(std::string_view text, std::string_view blanks);

/// Returns the text before the first `separator`, or the whole text, and removes it and the separator from `text`.
[[nodiscard]] constexpr std::string_view take_until(std::string_view& text, char separator) {
  const std::string_view piece = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(piece.size() + 1, text.size()));
  return piece;
}

/// Parses a number that is the whole text, as std::from_chars does: without blanks and plus, within the range of the
/// type.
template <class Number>
[[nodiscard]] std::optional<Number> whole_number(std::string_view text, int radix = 10) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, radix);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// Replaces each occurrence, from the front. Does not search the replacements again.
void replace_all(std::string& text, std::string_view from, std::string_view to);

/// The value of each hex digit, or -1. It is a table, because the leak scan looks up every byte of a cassette.
inline constexpr std::array<std::int8_t, 256> hex_values = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (int i = 0; i < 10; ++i) values[static_cast<std::size_t>('0' + i)] = static_cast<std::int8_t>(i);
  for (int i = 0; i < 6; ++i) {
    values[static_cast<std::size_t>('a' + i)] = static_cast<std::int8_t>(10 + i);
    values[static_cast<std::size_t>('A' + i)] = static_cast<std::int8_t>(10 + i);
  }
  return values;
}();
/// Returns 0 to 15, or -1.
[[nodiscard]] constexpr int hex_value(char c) { return hex_values[static_cast<std::uint8_t>(c)]; }
[[nodiscard]] constexpr bool is_hex(char c) { return hex_value(c) >= 0; }
/// Returns true if the text has only hex digits, in either case, and is not empty.
[[nodiscard]] bool is_hex(std::string_view text);
/// Appends two digits.
inline void append_hex(std::string& text, char byte, bool upper_case = false) {
  const std::string_view digits = upper_case ? "0123456789ABCDEF" : "0123456789abcdef";
  text += digits[static_cast<std::uint8_t>(byte) >> 4];
  text += digits[static_cast<std::uint8_t>(byte) & 15];
}

}  // namespace tapedeck::base
