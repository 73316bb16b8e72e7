#pragma once
// What overlays did to a reply, beside what stands in it.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "http/server/exchange.h"

namespace tapedeck::replay {

/// A piece of a body that is sent when its time has come.
struct PacedPiece {
  std::chrono::microseconds wait{};  ///< after the piece before it, or the head
  std::size_t end = 0;               ///< bytes of the body that are out by then
};

struct DeliveryPlan {
  std::string names;  ///< of those that played, from the top, as X-Tapedeck-Overlay shows them
  std::optional<std::chrono::microseconds> delay;  ///< before the first byte
  /// Of a recorded delay: when the body comes, head first; ends ascend to the body's. Empty: all at once.
  std::vector<PacedPiece> pace;
  std::optional<http::Mishap> mishap;  ///< in the place of the answer
  std::chrono::microseconds longest_hang{};
  bool is_cut = false;
  std::optional<std::size_t> cut;  ///< bytes of the body that are sent; nothing: half of them
};

}  // namespace tapedeck::replay
