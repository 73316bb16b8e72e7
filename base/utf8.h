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

}  // namespace tapedeck::base
