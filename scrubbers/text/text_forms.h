#pragma once
// Contains small encoders and decoders that several files of the scrubber share.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/base64.h"
#include "base/text.h"
#include "base/utf8.h"

namespace tapedeck::scrubbers {

using base::base64_alphabet;
using base::base64_form;
using base::base64_left_bits;
using base::base64_right_bits;
using base::base64_value;
using base::base64url_alphabet;
using base::fold;
using base::hex_value;
using base::put_utf8;
using base::to_base64;

/// The result of take_utf8(), which reads the character at `at` and moves `at` past it. For a byte that is not UTF-8,
/// `valid` is false, and `code_point` is the byte.
struct Utf8Character {
  std::uint32_t code_point = 0;
  bool valid = true;
};
[[nodiscard]] Utf8Character take_utf8(std::string_view text, std::size_t& at);

/// Returns two hex digits for each byte, with a space between two bytes if `spaced`.
[[nodiscard]] std::string hex_form(std::string_view value, bool upper, bool spaced);
/// Returns UTF-8 text as UTF-16LE. A byte that is not UTF-8 becomes the character with the same number.
[[nodiscard]] std::string to_utf16le(std::string_view value);

}  // namespace tapedeck::scrubbers
