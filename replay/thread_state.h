#pragma once
// What belongs to one loop thread alone, so that a plain hit shares nothing.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "replay/deck.h"
#include "replay/reply.h"

namespace tapedeck::replay {

struct ThreadState {
  std::vector<std::unique_ptr<Deck>> decks;  ///< in the command line's order
  /// By Outcome; written by this thread, read by stats().
  std::array<std::atomic<std::uint64_t>, 5> outcomes{};

  void count(Outcome outcome) {
    std::atomic<std::uint64_t>& counter = outcomes.at(static_cast<std::size_t>(outcome));
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

}  // namespace tapedeck::replay
