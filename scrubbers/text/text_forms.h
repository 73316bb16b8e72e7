#pragma once
// Small pieces that the encoders and the needles share.

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

/// Takes the next character of `text` from `at` on and moves `at` behind it; a byte that is not UTF-8 counts as itself,
/// and `valid` is then false.
struct Utf8Character {
  std::uint32_t code_point = 0;
  bool valid = true;
};
[[nodiscard]] Utf8Character take_utf8(std::string_view text, std::size_t& at);

/// Two digits a byte; a space between two bytes if wanted.
[[nodiscard]] std::string hex_form(std::string_view value, bool upper, bool spaced);
/// UTF-8 becomes UTF-16LE; bytes that are not UTF-8 become the character of the same number.
[[nodiscard]] std::string to_utf16le(std::string_view value);

}  // namespace tapedeck::scrubbers
