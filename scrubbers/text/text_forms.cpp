#include "scrubbers/text/text_forms.h"

#include <algorithm>

#include "base/digest.h"
#include "base/text.h"

namespace tapedeck::scrubbers {

int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  if (c == '/' || c == '_') return 63;
  return -1;
}

std::size_t put_utf8(std::uint32_t code_point, char* out) {
  const auto tail = [&](unsigned shift) { return static_cast<char>(0x80 | ((code_point >> shift) & 0x3F)); };
  if (code_point < 0x80) {
    out[0] = static_cast<char>(code_point);
    return 1;
  }
  if (code_point < 0x800) {
    out[0] = static_cast<char>(0xC0 | (code_point >> 6));
    out[1] = tail(0);
    return 2;
  }
  if (code_point < 0x10000) {
    out[0] = static_cast<char>(0xE0 | (code_point >> 12));
    out[1] = tail(6);
    out[2] = tail(0);
    return 3;
  }
  out[0] = static_cast<char>(0xF0 | (code_point >> 18));
  out[1] = tail(12);
  out[2] = tail(6);
  out[3] = tail(0);
  return 4;
}

Utf8Character take_utf8(std::string_view text, std::size_t& at) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(at);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                             : lead >= 0xE0                ? 3
                             : lead >= 0xC2                ? 2
                                                           : 0;
  bool valid = length != 0 && at + length <= text.size() && lead < 0xF5;
  for (std::size_t i = 1; valid && i < length; ++i) valid = (byte(at + i) & 0xC0) == 0x80;
  if (!valid) {
    ++at;
    return {lead, false};
  }
  std::uint32_t code_point = length == 1 ? lead : lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) code_point = (code_point << 6) | (byte(at + i) & 0x3Fu);
  at += length;
  return {code_point, true};
}

std::string hex_form(std::string_view value, bool upper, bool spaced) {
  std::string digits = base::to_hex(value);
  if (upper) std::transform(digits.begin(), digits.end(), digits.begin(), base::upper);
  for (std::size_t at = 2; spaced && at < digits.size(); at += 3) digits.insert(at, 1, ' ');
  return digits;
}

std::string to_utf16le(std::string_view value) {
  std::string out;
  out.reserve(value.size() * 2);
  const auto unit = [&out](std::uint32_t u) {
    out += static_cast<char>(u & 0xFF);
    out += static_cast<char>((u >> 8) & 0xFF);
  };
  for (std::size_t at = 0; at < value.size();) {
    const std::uint32_t code_point = take_utf8(value, at).code_point;
    if (code_point < 0x10000) {
      unit(code_point);
    } else {
      unit(0xD800 + ((code_point - 0x10000) >> 10));
      unit(0xDC00 + ((code_point - 0x10000) & 0x3FF));
    }
  }
  return out;
}

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

}  // namespace tapedeck::scrubbers
