#pragma once
// Makes random choices that depend only on their purpose, so that a run can be repeated (docs/mocking.md).

#include <chrono>
#include <cstdint>
#include <string_view>

#include "replay/overlays/delay.h"

namespace tapedeck::replay {

/// The purpose of a choice. Lengths precede the texts, so that different purposes are never equal.
struct DrawKey {
  std::uint64_t seed = 1;
  std::string_view overlay;  ///< the name of the overlay
  std::string_view owner;    ///< owner of the counters
  std::string_view key;      ///< key of the request
  std::uint64_t count = 0;   ///< number of earlier choices with this overlay, owner, and key
};

/// The random numbers for one response.
class Draw {
 public:
  explicit Draw(const DrawKey& key);
  [[nodiscard]] bool happens(double chance) const { return chance_ < chance; }
  [[nodiscard]] std::chrono::microseconds delay(const LogNormalDelay& delay) const;

 private:
  double chance_;  ///< uniform in [0, 1)
  double normal_;  ///< standard normal
};

}  // namespace tapedeck::replay
