#pragma once
// The journal as it grows, as text/event-stream (HTML Standard, "Server-sent events"): docs/control-api.md, GET
// /events.

#include <chrono>
#include <cstdint>
#include <string>

#include "journal/journal.h"

namespace tapedeck::inspector {

/// One reader of the journal. A slow one falls behind the entries that are kept and is told which it lost: whoever
/// answers requests never waits for it.
class EventStream {
 public:
  static constexpr std::size_t largest_batch = 200;
  static constexpr std::chrono::milliseconds between_batches{100};
  static constexpr std::chrono::seconds between_comments{10};

  /// `from`: the number of the first entry that is wanted.
  EventStream(const journal::Journal& journal, std::uint64_t from) : journal_(journal), next_(from == 0 ? 1 : from) {}

  /// Waits at most `time` and gives what there is to be sent: events, a comment when nothing came for long, or nothing
  /// yet.
  [[nodiscard]] std::string next(std::chrono::milliseconds time);

 private:
  using Clock = std::chrono::steady_clock;
  [[nodiscard]] std::string batch();

  const journal::Journal& journal_;
  std::uint64_t next_;
  Clock::time_point last_ = Clock::now();  ///< when something was sent
};

}  // namespace tapedeck::inspector
