#pragma once
// Small pieces that the encoders and the needles share.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text.h"

namespace tapedeck::scrubbers {

inline constexpr std::string_view base64_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
inline constexpr std::string_view base64url_alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

using base::fold;
using base::hex_value;

/// 0 to 63 in either alphabet, or -1.
[[nodiscard]] int base64_value(char c);
/// Writes 1 to 4 bytes and says how many. A lone surrogate becomes the three bytes that its number would be.
[[nodiscard]] std::size_t put_utf8(std::uint32_t code_point, char* out);

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

/// The base64 characters that hold any bit of `value` when it begins `alignment` bytes into a group of three. `left`
/// and `right` are the neighbours' bits in the first and the last of them.
[[nodiscard]] std::string to_base64(std::string_view value, std::string_view alphabet, unsigned alignment,
                                    unsigned left, unsigned right);
/// Returns standard base64 with padding (RFC 4648 §4).
[[nodiscard]] std::string base64_form(std::string_view value);
/// How many bits of the first character belong to the byte before (0, 2 or 4).
[[nodiscard]] unsigned base64_left_bits(unsigned alignment);
/// How many bits of the last character belong to what follows (0, 2 or 4).
[[nodiscard]] unsigned base64_right_bits(unsigned alignment, std::size_t value_size);

}  // namespace tapedeck::scrubbers
