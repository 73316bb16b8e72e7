#pragma once
// Describes how a reply is sent. Overlays set it in addition to the content.

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "http/server/exchange.h"

namespace tapedeck::replay {

/// A piece of a body and when it is sent.
struct PacedPiece {
  std::chrono::microseconds wait{};  ///< time since the previous piece, or since the head
  std::size_t end = 0;               ///< end of the piece in the body
};

struct DeliveryPlan {
  std::string names;  ///< names of the overlays that were used, from the top, as in X-Tapedeck-Overlay
  std::optional<std::chrono::microseconds> delay;  ///< delay before the first byte
  /// For a recorded delay: the times to send the head (first, with `end` 0) and each piece of the body. `end` ascends
  /// to the body's size. If it is empty, everything is sent together.
  std::vector<PacedPiece> pace;
  std::optional<http::Mishap> mishap;  ///< replaces the response
  std::chrono::microseconds longest_hang{};
  bool is_cut = false;
  std::optional<std::size_t> cut;  ///< number of bytes of the body that are sent; without a value, half of them
};

}  // namespace tapedeck::replay
