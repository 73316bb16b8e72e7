#include "base/base64.h"

namespace tapedeck::base {

unsigned base64_left_bits(unsigned alignment) { return alignment * 8 % 6; }

unsigned base64_right_bits(unsigned alignment, std::size_t value_size) {
  const auto used = static_cast<unsigned>((alignment + value_size) * 8 % 6);
  return used == 0 ? 0 : 6 - used;
}

std::string to_base64(std::string_view value, std::string_view alphabet, unsigned alignment, unsigned left,
                      unsigned right) {
  std::string out;
  out.reserve(value.size() * 4 / 3 + 2);
  unsigned count = base64_left_bits(alignment);
  std::uint32_t bits = left & ((1u << count) - 1);
  for (const char c : value) {
    bits = (bits << 8) | static_cast<std::uint8_t>(c);
    count += 8;
    while (count >= 6) {
      count -= 6;
      out += alphabet[(bits >> count) & 63];
    }
    bits &= (1u << count) - 1;
  }
  if (count > 0) {
    const unsigned missing = 6 - count;
    out += alphabet[((bits << missing) | (right & ((1u << missing) - 1))) & 63];
  }
  return out;
}

std::string base64_form(std::string_view value) {
  std::string out = to_base64(value, base64_alphabet, 0, 0, 0);
  return out.append((4 - out.size() % 4) % 4, '=');
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const int value = base64_value(c);
    if (value < 0) break;
    bits = ((bits << 6) | static_cast<std::uint32_t>(value)) & 0xFFFFFF;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> count) & 0xFF);
  }
  return bytes;
}

}  // namespace tapedeck::base
