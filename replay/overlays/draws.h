#pragma once
// Chance without chance: every draw is a pure function of what it is for, so that a run can be repeated (toolkit §2).

#include <chrono>
#include <cstdint>
#include <string_view>

#include "replay/overlays/delay.h"

namespace tapedeck::replay {

/// What a draw is for. Lengths stand before the texts, so that no two of them run into one another.
struct DrawKey {
  std::uint64_t seed = 1;
  std::string_view overlay;  ///< its name
  std::string_view owner;    ///< of the counts
  std::string_view key;      ///< of the request
  std::uint64_t count = 0;   ///< how often it was drawn for these before
};

/// The draws for one answer.
class Draw {
 public:
  explicit Draw(const DrawKey& key);
  [[nodiscard]] bool happens(double chance) const { return chance_ < chance; }
  [[nodiscard]] std::chrono::microseconds delay(const LogNormalDelay& delay) const;

 private:
  double chance_;  ///< [0, 1)
  double normal_;  ///< of the standard normal distribution
};

}  // namespace tapedeck::replay
