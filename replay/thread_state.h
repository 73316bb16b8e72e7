#pragma once
// What belongs to one loop thread alone, so that a plain hit shares nothing.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/text_hash.h"
#include "base/two_generations.h"
#include "replay/recorded/deck.h"
#include "replay/recorded/tapes.h"
#include "replay/reply.h"
#include "replay/request_memo.h"

namespace tapedeck::replay {

class OverlaySet;

struct ThreadState {
  /// `deck` is what all decks have in common.
  explicit ThreadState(std::size_t memo_bytes, const DeckOptions& deck = {})
      : memo(memo_bytes), memo_bytes_(memo_bytes), common_(deck), first_with_(memo_bytes / 2) {}

  /// Before each request: what has become the newest is played from here on.
  void begin_with_newest(const TapeShelf& shelf);
  /// From here on until the next request begins.
  void play(std::shared_ptr<const Tapes> tapes);

  std::shared_ptr<const Tapes> newest;       ///< as of the request's beginning
  std::shared_ptr<const Tapes> playing;      ///< that, or older ones: those of the request's scope
  std::vector<std::shared_ptr<Deck>> decks;  ///< of `playing`, in the command line's order
  RequestMemo memo;
  /// The overlays of the request that is being answered, and the version of the store that they are.
  std::shared_ptr<const OverlaySet> overlays;
  std::uint64_t overlay_version = 0;
  /// By Outcome; written by this thread, read by stats().
  std::array<std::atomic<std::uint64_t>, outcome_count> outcomes{};

  [[nodiscard]] api::KeyPolicy policy() const {
    return decks.empty() ? api::KeyPolicy::current() : decks.front()->policy();
  }

  /// The place in `decks` of the first that has this very key, recorded without a scope; `decks.size()` when none has.
  /// With many cassettes the others need not be searched for what is only alike.
  [[nodiscard]] std::size_t first_with(const api::RequestKey& key);

  /// True when a cassette has scopes.
  [[nodiscard]] bool has_scopes() const {
    return std::any_of(decks.begin(), decks.end(), [](const auto& deck) { return deck->has_scopes(); });
  }

  /// As in ReplayStats.
  std::atomic<std::uint64_t> out_of_order = 0, out_of_scope = 0, builtin_errors = 0, builtin_effects = 0, past_end = 0;

  void count(Outcome outcome) { add_one(outcomes.at(static_cast<std::size_t>(outcome))); }
  static void add_one(std::atomic<std::uint64_t>& counter) {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

 private:
  struct Made {
    std::shared_ptr<Edition> edition;
    std::shared_ptr<Deck> deck;
  };
  [[nodiscard]] std::shared_ptr<Deck> deck_of(const std::shared_ptr<Edition>& edition, std::uint32_t number);

  std::size_t memo_bytes_;
  DeckOptions common_;
  std::vector<Made> made_;  ///< of all editions that this thread has played and that are not over
  base::TwoGenerations<std::string, std::size_t, base::TextHash, std::equal_to<>> first_with_;  ///< by the key's text
};

}  // namespace tapedeck::replay
