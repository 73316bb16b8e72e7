#pragma once
// Reads an escape at the front of a text, and escapes markup.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tapedeck::base {

struct Escape {
  std::uint8_t length = 0;      ///< 0 if the text does not begin with an escape
  std::array<char, 4> bytes{};  ///< the decoded character, in UTF-8
  std::uint8_t size = 0;
};

/// Returns an escape of `length` bytes for a byte or a character.
[[nodiscard]] Escape escape_of_byte(char byte, std::size_t length);
[[nodiscard]] Escape escape_of_character(std::uint32_t code_point, std::size_t length);

/// Returns the number of which `digits` hex digits are at the front of the text.
[[nodiscard]] std::optional<std::uint32_t> hex_number(std::string_view text, std::size_t digits);

/// Reads %XX.
[[nodiscard]] Escape percent_escape(std::string_view text);
/// Reads \" \\ \/ \b \f \n \r \t and \uXXXX, with surrogate pairs.
[[nodiscard]] Escape json_escape(std::string_view text);
/// Reads &#N; &#xH; and the names in ASCII and Latin-1, such as &amp; &sol; &auml;.
[[nodiscard]] Escape html_escape(std::string_view text);

/// Returns the escape of & < > " in HTML and XML, and nothing for any other character.
[[nodiscard]] std::string_view markup_escape(char c);

}  // namespace tapedeck::base
