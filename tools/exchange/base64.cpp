#include "tools/exchange/base64.h"

#include <cstdint>

#include "scrubbers/text/text_forms.h"

namespace tapedeck::tools {

std::optional<std::string> from_base64(std::string_view text) {
  std::string out;
  std::uint32_t group = 0;
  int bits = 0;
  std::size_t characters = 0, padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    ++characters;
    if (c == '=') {
      ++padding;
      continue;
    }
    const std::size_t value = scrubbers::base64_alphabet.find(c);
    if (value == std::string_view::npos || padding > 0) return std::nullopt;
    group = group << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      out += static_cast<char>(group >> bits & 255);
    }
  }
  if (characters % 4 != 0 || padding > 2) return std::nullopt;
  return out;
}

}  // namespace tapedeck::tools
