#pragma once
// UTF-8 as strictly as Unicode has it (table 3-7): no overlong forms, no surrogates, nothing beyond U+10FFFF.

#include <cstddef>
#include <string_view>

namespace tapedeck::base {

struct Utf8Front {
  char32_t code_point = 0;
  std::size_t length = 0;  ///< in bytes, 1 to 4; 0 when the text does not begin with a character
};

/// The first character of a text that is not empty.
[[nodiscard]] Utf8Front utf8_front(std::string_view text);
/// All of it; an empty text is.
[[nodiscard]] bool is_utf8(std::string_view bytes);

/// What must not go to a terminal or into a line as it is: controls (C0, DEL, C1), line and paragraph separators, and
/// the marks that turn the writing direction.
[[nodiscard]] bool turns_or_breaks(char32_t point);

}  // namespace tapedeck::base
