#pragma once
// Sends the journal as it grows, as text/event-stream (docs/control-api.md, GET /events).

#include <chrono>
#include <cstdint>
#include <string>

#include "journal/journal.h"

namespace tapedeck::inspector {

/// One reader of the journal. A slow reader misses entries that are no longer kept, and receives their numbers instead.
/// It does not slow down other readers.
class EventStream {
 public:
  static constexpr std::size_t largest_batch = 200;
  static constexpr std::chrono::milliseconds between_batches{100};
  static constexpr std::chrono::seconds between_comments{10};

  /// `from`: the number of the first entry to send.
  EventStream(const journal::Journal& journal, std::uint64_t from) : journal_(journal), next_(from == 0 ? 1 : from) {}

  /// Waits up to `time`. Returns the text to send: events, a comment after a long silence, or nothing.
  [[nodiscard]] std::string next(std::chrono::milliseconds time);

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] std::string batch();

  const journal::Journal& journal_;
  std::uint64_t next_;
  Clock::time_point last_ = Clock::now();  ///< the time of the last output
};

}  // namespace tapedeck::inspector
