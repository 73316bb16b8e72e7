#pragma once
// How a reply is sent: what overlays do to it, apart from its content.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "http/server/exchange.h"

namespace tapedeck::replay {

/// A piece of a body and when it is sent.
struct PacedPiece {
  std::chrono::microseconds wait{};  ///< since the previous piece, or the head
  std::size_t end = 0;               ///< where the piece ends in the body
};

struct DeliveryPlan {
  std::string names;  ///< names of the overlays that were used, from the top, as in X-Tapedeck-Overlay
  std::optional<std::chrono::microseconds> delay;  ///< before the first byte
  /// For a recorded delay: when to send the head (first, with `end` 0) and each piece of the body. `end` ascends to the
  /// body's size. Empty: everything is sent together.
  std::vector<PacedPiece> pace;
  std::optional<http::Mishap> mishap;  ///< replaces the response
  std::chrono::microseconds longest_hang{};
  bool is_cut = false;
  std::optional<std::size_t> cut;  ///< bytes of the body that are sent; empty: half of them
};

}  // namespace tapedeck::replay
