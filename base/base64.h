#pragma once
// Base64 (RFC 4648 §4 and §5).

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace tapedeck::base {

inline constexpr std::string_view base64_alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
inline constexpr std::string_view base64url_alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

inline constexpr std::array<std::int8_t, 256> base64_values = [] {
  std::array<std::int8_t, 256> values{};
  values.fill(-1);
  for (const std::string_view alphabet : {base64_alphabet, base64url_alphabet}) {
    for (std::size_t i = 0; i < alphabet.size(); ++i) {
      values[static_cast<std::uint8_t>(alphabet[i])] = static_cast<std::int8_t>(i);
    }
  }
  return values;
}();
/// Returns 0 to 63 for a character of either alphabet, or -1.
[[nodiscard]] constexpr int base64_value(char c) { return base64_values[static_cast<std::uint8_t>(c)]; }

/// Returns the characters that contain bits of `value` if it begins `alignment` bytes (0 to 2) into a group of three.
/// `left` and `right` are the neighbors' bits in the first and the last of them. Adds no padding.
[[nodiscard]] std::string to_base64(std::string_view value, std::string_view alphabet, unsigned alignment,
                                    unsigned left, unsigned right);
/// Returns standard base64 with padding.
[[nodiscard]] std::string base64_form(std::string_view value);
/// Decodes either alphabet and stops at the first other character.
[[nodiscard]] std::string from_base64(std::string_view text);
/// Returns how many bits of the first character belong to the byte before (0, 2, or 4).
[[nodiscard]] unsigned base64_left_bits(unsigned alignment);
/// Returns the number of bits in the last character that belong to the following bytes (0, 2, or 4).
[[nodiscard]] unsigned base64_right_bits(unsigned alignment, std::size_t value_size);

}  // namespace tapedeck::base
