#include "replay/overlays/draws.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

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
