#include "base/duration.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace tapedeck::base {
namespace {

constexpr std::int64_t day_us = 86'400'000'000;
/// Each unit with its microseconds, the longest first.
constexpr std::array<std::pair<std::string_view, std::int64_t>, 5> units = {
    {{"d", day_us}, {"h", 3'600'000'000}, {"m", 60'000'000}, {"s", 1'000'000}, {"ms", 1'000}}};

}  // namespace

std::optional<std::chrono::microseconds> duration_of(std::string_view text) {
  constexpr auto longest_us = 1000.0 * day_us;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (read.ec != std::errc() || std::signbit(number) || !std::isfinite(number)) return std::nullopt;
  for (const auto& [unit, factor] : units) {
    if (std::string_view(read.ptr, static_cast<std::size_t>(end - read.ptr)) != unit) continue;
    const double us = number * static_cast<double>(factor);
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
