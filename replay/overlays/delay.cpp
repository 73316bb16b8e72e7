#include "replay/overlays/delay.h"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace tapedeck::replay {
std::optional<std::chrono::microseconds> parse_duration(std::string_view text) {
  constexpr double longest_us = 3600e6;
  constexpr std::array<std::pair<std::string_view, double>, 3> units = {{{"ms", 1e3}, {"s", 1e6}, {"m", 60e6}}};
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (read.ec != std::errc() || std::signbit(number) || !std::isfinite(number)) return std::nullopt;
  for (const auto& [unit, factor] : units) {
    if (std::string_view(read.ptr, static_cast<std::size_t>(end - read.ptr)) != unit) continue;
    if (number * factor > longest_us) return std::nullopt;
    return std::chrono::microseconds(std::llround(number * factor));
  }
  return std::nullopt;
}

std::optional<Delay> parse_delay(std::string_view text) {
  if (text == "recorded") return RecordedDelay{};
  if (const auto duration = parse_duration(text)) return *duration;
  return std::nullopt;
}

}  // namespace tapedeck::replay
