#pragma once
// Stores the state of one loop thread, so that a plain hit shares no data between threads.

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "replay/recorded/reply.h"
#include "replay/recorded/thread_cassettes.h"
#include "replay/request/request_memo.h"

namespace tapedeck::replay {

class OverlaySet;

struct ThreadState {
  /// `lookup` are the options for the lookups of all cassettes.
  explicit ThreadState(std::size_t memo_bytes, const LookupOptions& lookup = {})
      : cassettes(memo_bytes / 2, lookup), memo(memo_bytes), memo_bytes_(memo_bytes) {}

  /// Called before each request. Uses the newest cassettes from then on.
  void begin_with_newest(const CassetteWatch& watch) {
    // The meaning of a request's text depends on the base paths.
    if (cassettes.begin_with_newest(watch)) memo = RequestMemo(memo_bytes_);
  }

  ThreadCassettes cassettes;
  RequestMemo memo;
  /// The overlays of the current request, and their version in the store.
  std::shared_ptr<const OverlaySet> overlays;
  std::uint64_t overlay_version = 0;
  /// Counts by Outcome. Written by this thread, and read by stats().
  std::array<std::atomic<std::uint64_t>, outcome_count> outcomes{};
  /// Counters as in ReplayStats.
  std::atomic<std::uint64_t> out_of_order = 0, out_of_scope = 0, builtin_errors = 0, builtin_effects = 0, simulated = 0,
                             past_end = 0, account_guesses = 0, other_messages = 0;

  void count(Outcome outcome) { add_one(outcomes.at(static_cast<std::size_t>(outcome))); }
  static void add_one(std::atomic<std::uint64_t>& counter) {
    counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

 private:
  std::size_t memo_bytes_;
};

}  // namespace tapedeck::replay
