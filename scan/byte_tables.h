#pragma once
// Defines character classes as tables that are built at compile time.

#include <array>
#include <cstdint>
#include <string_view>

#include "base/base64.h"
#include "base/text.h"

namespace tapedeck::scan {

constexpr std::uint8_t byte_of(char c) { return static_cast<std::uint8_t>(c); }

using base::base64_value;
using base::hex_value;

/// The characters of a token value: all except white space, controls, quotes, and punctuation around values.
constexpr std::array<bool, 256> value_characters = [] {
  std::array<bool, 256> in_value{};
  in_value.fill(true);
  for (std::size_t i = 0; i <= 0x20; ++i) in_value[i] = false;
  for (const char c : std::string_view("\"'`,;&<>\\(){}[]|\x7f")) in_value[byte_of(c)] = false;
  return in_value;
}();

constexpr bool is_in_value(char c) { return value_characters[byte_of(c)]; }

}  // namespace tapedeck::scan
