#include "base/decimal.h"

#include <locale>
#include <sstream>
#include <string>

namespace tapedeck::base {

namespace {

/// Returns the number of digits at this place.
std::size_t digits_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return 0;
  const std::size_t end = text.find_first_not_of("0123456789", at);
  return (end == std::string_view::npos ? text.size() : end) - at;
}

std::size_t exponent_at(std::string_view text, std::size_t at) {
  if (at >= text.size() || (text[at] != 'e' && text[at] != 'E')) return 0;
  const bool has_sign = at + 1 < text.size() && (text[at + 1] == '-' || text[at + 1] == '+');
  const std::size_t mark = has_sign ? 2 : 1;
  const std::size_t digits = digits_at(text, at + mark);
  return digits == 0 ? 0 : mark + digits;
}

}  // namespace

std::optional<Decimal> decimal_at_start(std::string_view text, bool may_have_exponent) {
  std::size_t size = text.starts_with('-') ? 1 : 0;
  std::size_t digits = digits_at(text, size);
  size += digits;
  if (text.substr(size).starts_with('.')) {
    const std::size_t fraction = digits_at(text, size + 1);
    if (digits + fraction > 0) size += 1 + fraction;
    digits += fraction;
  }
  if (digits == 0) return std::nullopt;
  if (may_have_exponent) size += exponent_at(text, size);
  std::istringstream in{std::string(text.substr(0, size))};
  in.imbue(std::locale::classic());
  double number = 0;
  return in >> number ? std::optional(Decimal{number, size}) : std::nullopt;
}

}  // namespace tapedeck::base
