#pragma once
// Reads decimal numbers, whatever the locale is.

#include <cstddef>
#include <optional>
#include <string_view>

namespace tapedeck::base {

struct Decimal {
  double number = 0;
  std::size_t size = 0;  ///< bytes of the text
};

/// Returns the decimal number at the start of the text: digits with at most one point, after an optional minus. With
/// `may_have_exponent`, an exponent follows if there is one. Returns nothing if there is no number or if it is too
/// large. std::from_chars() does the same, but libc++ 16 has it only for integers.
[[nodiscard]] std::optional<Decimal> decimal_at_start(std::string_view text, bool may_have_exponent);

}  // namespace tapedeck::base
