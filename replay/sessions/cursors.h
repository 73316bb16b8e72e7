#pragma once
// Positions in sequences, and the last write that a client has made in each lane (docs/replay.md, "Sequences, lanes, and
// positions").

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "replay/sessions/at_end.h"
#include "replay/sessions/bound_values.h"

namespace tapedeck::replay {

/// Whose cursor a sequence has (docs/replay.md, "Sequences, lanes, and positions").
enum class Cursors { automatic, session, account, global };

/// A lane of a take of the cassette with that OpenCassette::id.
struct LaneRef {
  std::uint32_t cassette = 0, take = 0, lane = 0;
  bool operator==(const LaneRef&) const = default;
};

/// A sequence of that cassette.
struct SequenceRef {
  std::uint32_t cassette = 0;
  std::int64_t sequence = 0;
  bool operator==(const SequenceRef&) const = default;
};

struct RefHash {
  std::size_t operator()(const LaneRef& ref) const;
  std::size_t operator()(const SequenceRef& ref) const;
};

/// What a scope asks of a sequence. A segment is the number of state-changing calls of the lane before a position; it
/// never falls from one position to the next.
class Positions {
 public:
  virtual ~Positions() = default;
  [[nodiscard]] virtual std::uint32_t count() const = 0;
  [[nodiscard]] virtual std::uint32_t segment(std::uint32_t position) = 0;
};

/// The cursors of one session, account, named session, or of all together. Thread-safe: one lock a scope, so that
/// sessions do not wait for each other.
class CursorScope {
 public:
  struct Next {
    std::uint32_t position = 0;
    /// False where the recorded client made this call only after a write, or an earlier answer of the same sequence,
    /// that this scope has not made.
    bool in_order = true;
    /// The cursor had come to the end of the sequence before.
    bool past_end = false;
  };
  /// The position that plays now, and the cursor moved behind it; nothing at the end under AtEnd::miss. Under
  /// AtEnd::loop a cursor at the end of what the writes made so far allow goes back to its beginning. A cursor never
  /// passes a write that this scope has not made; where even the first position lies behind one, the first is where it
  /// stays: a lane that was recorded from the middle must still play.
  [[nodiscard]] std::optional<Next> next(const SequenceRef& sequence, const LaneRef& lane, Positions& positions,
                                         AtEnd at_end);
  /// The position that next() would give, at the end the last one again.
  [[nodiscard]] std::uint32_t peek(const SequenceRef& sequence, const LaneRef& lane, Positions& positions);
  /// The segment that next() plays from; below zero where it lies behind writes that are not made.
  [[nodiscard]] std::int64_t state(const LaneRef& lane, Positions& positions);

  /// The cursor moves behind that position.
  void move_behind(const SequenceRef& sequence, std::uint32_t position);

  /// Which of an account's recorded logins plays now, of `count`; at the end the last one again. `first` names them.
  [[nodiscard]] std::uint32_t next_login(const SequenceRef& first, std::size_t count);
  /// So many of the lane's state-changing calls are made now: its cursors may go behind them.
  void wrote(const LaneRef& lane, std::uint32_t writes);
  /// Of all lanes of that cassette, the one of the last wrote().
  [[nodiscard]] std::optional<LaneRef> last_written(std::uint32_t cassette);
  /// All cursors to the start, no write made, and no value tied.
  void reset();
  /// Values that its clients draw anew. With a lock of its own.
  BoundValues bound;

 private:
  struct Window {
    std::uint32_t begin = 0;    ///< positions before it belong to a state that is over
    std::uint32_t end = 0;      ///< positions from here on lie behind a write that was not made
    std::uint32_t segment = 0;  ///< of the last position in it, and of all in a sequence that no write divides
  };
  struct Cursor {
    std::uint32_t next = 0;
    bool has_jumped = false;  ///< over positions that were never played
  };
  [[nodiscard]] Window window(const LaneRef& lane, Positions& positions) const;
  [[nodiscard]] std::uint32_t made(const LaneRef& lane) const;
  /// The position that plays now.
  [[nodiscard]] static std::uint32_t position(const Window& window, const Cursor& cursor);

  std::mutex mutex_;
  std::unordered_map<SequenceRef, Cursor, RefHash> cursors_;
  std::unordered_map<SequenceRef, std::uint32_t, RefHash> logins_;  ///< that were played
  std::unordered_map<LaneRef, std::uint32_t, RefHash> writes_;      ///< that are made
  std::unordered_map<std::uint32_t, LaneRef> last_written_;         ///< by cassette
};

}  // namespace tapedeck::replay
