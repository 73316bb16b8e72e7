#include "base/duration.h"

#include <array>
#include <cmath>
#include <utility>

#include "base/decimal.h"

namespace tapedeck::base {
namespace {

constexpr std::int64_t day_us = 86'400'000'000;
/// Each unit with its microseconds, the longest first.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> units = {
    {{"d", day_us}, {"h", 3'600'000'000}, {"m", 60'000'000}, {"s", 1'000'000}, {"ms", 1'000}}};

}  // namespace

std::optional<std::chrono::microseconds> duration_of(std::string_view text) {
  constexpr auto longest_us = 1000.0 * day_us;
  const auto read = decimal_at_start(text, false);
  if (!read || std::signbit(read->number)) return std::nullopt;
  for (const auto& [unit, factor] : units) {
    if (text.substr(read->size) != unit) continue;
    const double us = read->number * static_cast<double>(factor);
    if (us > longest_us) return std::nullopt;
    return std::chrono::microseconds(std::llround(us));
  }
  return std::nullopt;
}

std::string duration_text(std::chrono::microseconds duration) {
  const std::int64_t us = (duration.count() + 500) / 1000 * 1000;
  for (const auto& [unit, factor] : units) {
    if (us >= factor && us % factor == 0) return std::to_string(us / factor).append(unit);
  }
  return "0s";
}

}  // namespace tapedeck::base
