#include "scrubbers/text/text_forms.h"

#include <algorithm>

#include "base/digest.h"
#include "base/text.h"

namespace tapedeck::scrubbers {

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

}  // namespace tapedeck::scrubbers
