#pragma once
// What overlays do to a reply, apart from its content.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "http/server/exchange.h"

namespace tapedeck::replay {

/// A piece of a body with its time.
struct PacedPiece {
  std::chrono::microseconds wait{};  ///< after the piece before it, or the head
  std::size_t end = 0;               ///< bytes of the body that are sent by then
};

struct DeliveryPlan {
  std::string names;  ///< names of the overlays that were used, from the top, as in X-Tapedeck-Overlay
  std::optional<std::chrono::microseconds> delay;  ///< before the first byte
  /// For a recorded delay: when pieces of the body come, starting with the head; ends ascend to the body's. Empty:
  /// everything together.
  std::vector<PacedPiece> pace;
  std::optional<http::Mishap> mishap;  ///< replaces the response
  std::chrono::microseconds longest_hang{};
  bool is_cut = false;
  std::optional<std::size_t> cut;  ///< bytes of the body that are sent; empty: half of them
};

}  // namespace tapedeck::replay
