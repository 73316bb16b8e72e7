#include "replay/overlays/delay.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "base/digest.h"

namespace tapedeck::replay {
namespace {

base::Sha256 digest_of(const DrawKey& key) {
  std::string text = std::to_string(key.seed) + " " + std::to_string(key.count);
  for (const std::string_view part : {key.overlay, key.owner, key.key}) {
    text.append(" ").append(std::to_string(part.size())).append(":").append(part);
  }
  return base::sha256(text);
}

/// Returns the eight bytes at `at`, read as little-endian, as a number in [0, 1).
double uniform(const base::Sha256& digest, std::size_t at) {
  std::uint64_t bits = 0;
  for (std::size_t i = 8; i > 0; --i) bits = bits << 8 | digest.at(at + i - 1);
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

}  // namespace

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

std::optional<Delay> log_normal(std::string_view median, std::string_view p99) {
  const auto half = parse_duration(median);
  const auto most = parse_duration(p99);
  if (!half || !most || half->count() <= 0 || *most < *half) return std::nullopt;
  return LogNormalDelay{*half, *most};
}

std::optional<Delay> parse_delay(std::string_view text) {
  if (text == "recorded") return RecordedDelay{};
  constexpr std::string_view median = "median=";
  constexpr std::string_view p99 = ",p99=";
  const std::size_t comma = text.find(p99);
  if (text.starts_with(median) && comma != std::string_view::npos) {
    return log_normal(text.substr(median.size(), comma - median.size()), text.substr(comma + p99.size()));
  }
  if (const auto duration = parse_duration(text)) return *duration;
  return std::nullopt;
}

Draw::Draw(const DrawKey& key) {
  const base::Sha256 digest = digest_of(key);
  chance_ = uniform(digest, 0);
  // Box-Muller transform; 1 - u is never 0.
  normal_ = std::sqrt(-2 * std::log(1 - uniform(digest, 8))) * std::cos(2 * std::numbers::pi * uniform(digest, 16));
}

std::chrono::microseconds Draw::delay(const LogNormalDelay& delay) const {
  constexpr double quantile_99 = 2.3263478740408408;  // of the standard normal distribution
  constexpr double longest_us = 3600e6;
  const auto median = static_cast<double>(delay.median.count());
  const double sigma = std::log(static_cast<double>(delay.p99.count()) / median) / quantile_99;
  return std::chrono::microseconds(std::llround(std::min(median * std::exp(sigma * normal_), longest_us)));
}

}  // namespace tapedeck::replay
