#pragma once
// Stores positions in sequences, and the last write of a client in each lane (docs/matching.md, "Sequences, lanes, and
// positions").

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "replay/sessions/at_end.h"
#include "replay/sessions/bound_values.h"

namespace tapedeck::replay {

/// The clients that share a position (docs/matching.md, "Sequences, lanes, and positions").
enum class Cursors { automatic, session, account, global };

/// A lane of a take. The cassette is identified by OpenCassette::id.
struct LaneRef {
  std::uint32_t cassette = 0, take = 0, lane = 0;
  bool operator==(const LaneRef&) const = default;
};

/// A sequence in a cassette.
struct SequenceRef {
  std::uint32_t cassette = 0;
  std::int64_t sequence = 0;
  bool operator==(const SequenceRef&) const = default;
};

struct RefHash {
  std::size_t operator()(const LaneRef& ref) const;
  std::size_t operator()(const SequenceRef& ref) const;
};

/// The facts about a sequence that a PositionStore needs. The segment of a position is the number of writes in the lane
/// before it. Segments never decrease along the sequence.
struct Positions {
  std::uint32_t count = 0;
  std::function<std::uint32_t(std::uint32_t position)> segment;
  /// The number of the lane's writes that other accounts made. Positions may advance past them.
  std::uint32_t made_by_others = 0;
  /// The number of the lane's writes that all sessions of the account made. A response after them is in order.
  std::uint32_t made_by_account = 0;
};

/// The positions of one session, one account, one run, or all clients together. Thread-safe. Each scope has its own
/// lock, so that sessions do not wait for each other.
class PositionStore {
 public:
  struct Next {
    std::uint32_t position = 0;
    /// False if the recorded client made this call only after a write, or after an earlier response of the same
    /// sequence, that this scope has not reached.
    bool in_order = true;
    /// True if the position was already at the end of the sequence.
    bool past_end = false;
    bool repeats = false;               ///< the response was replayed before, and no other one may follow yet
    std::chrono::microseconds wait{0};  ///< how long a repeated poll waits; set by PositionPicker
  };
  /// Returns the position to replay now and advances. Returns nothing at the end with AtEnd::miss. With AtEnd::loop, a
  /// position at the end of what the writes so far allow returns to the beginning of that part. A position never passes
  /// a write that this scope has not made. If even the first position is after such a write, the first one is used,
  /// because a lane that was recorded from the middle must still be replayed.
  [[nodiscard]] std::optional<Next> next(const SequenceRef& sequence, const LaneRef& lane, const Positions& positions,
                                         AtEnd at_end);
  /// Returns the position that next() would return, without advancing. At the end, returns the last position.
  [[nodiscard]] std::uint32_t peek(const SequenceRef& sequence, const LaneRef& lane, const Positions& positions);
  /// Returns the segment from which next() would replay. Negative if it is after writes that were not made.
  [[nodiscard]] std::int64_t state(const LaneRef& lane, const Positions& positions);

  /// Moves to the position after `position`.
  void move_behind(const SequenceRef& sequence, std::uint32_t position);

  /// Returns which of an account's `count` recorded logins to replay, and advances. At the end, returns the last one.
  /// `first` identifies the logins.
  [[nodiscard]] std::uint32_t next_login(const SequenceRef& first, std::size_t count);
  /// Records that this number of the lane's writes was made, so that positions may advance past them.
  void wrote(const LaneRef& lane, std::uint32_t writes);
  /// Returns the number of the lane's writes that were made.
  [[nodiscard]] std::uint32_t made_in(const LaneRef& lane);
  /// Returns the lane of the latest wrote() in that cassette.
  [[nodiscard]] std::optional<LaneRef> last_written(std::uint32_t cassette);
  /// Resets all positions, writes, and ties.
  void reset();
  /// The ties of bound parameters. They have their own lock.
  BoundValues bound;

 private:
  struct Window {
    std::uint32_t begin = 0;  ///< positions before it belong to an earlier state
    std::uint32_t end = 0;    ///< positions from here on are after a write that was not made
    /// segment of the last position in the window, and of all positions in a sequence that no write divides
    std::uint32_t segment = 0;
  };
  struct Cursor {
    std::uint32_t next = 0;
    bool has_jumped = false;  ///< true if positions were skipped without being replayed
  };
  [[nodiscard]] Window window(const LaneRef& lane, const Positions& positions) const;
  [[nodiscard]] std::uint32_t made(const LaneRef& lane) const;
  /// Returns the position to replay now.
  [[nodiscard]] static std::uint32_t position(const Window& window, const Cursor& cursor);

  std::mutex mutex_;
  std::unordered_map<SequenceRef, Cursor, RefHash> cursors_;
  std::unordered_map<SequenceRef, std::uint32_t, RefHash> logins_;  ///< number of logins that were replayed
  std::unordered_map<LaneRef, std::uint32_t, RefHash> writes_;      ///< number of writes that were made
  std::unordered_map<std::uint32_t, LaneRef> last_written_;         ///< key: the cassette
};

/// The writes of all accounts in lanes that several accounts share. Thread-safe.
class LaneWrites {
 public:
  /// Records that an account made this number of the lane's writes. `account` is its number in the take.
  void wrote(const LaneRef& lane, std::uint32_t account, std::uint32_t writes);
  /// Returns the number of the lane's writes that other accounts made.
  [[nodiscard]] std::uint32_t by_others(const LaneRef& lane, std::uint32_t account) const;
  void reset();

 private:
  mutable std::mutex mutex_;
  std::unordered_map<LaneRef, std::map<std::uint32_t, std::uint32_t>, RefHash> made_;  ///< writes by account
};

}  // namespace tapedeck::replay
