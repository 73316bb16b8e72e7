#pragma once
// Recording into a cassette (design §4.5, docs/cassette-format.md "While recording").

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cassettes/write/take_info.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// What another process needs to finish a take whose recorder has died.
struct Handover {
  std::string path;  ///< absolute
  int lock = -1;     ///< the descriptor that has the lock: it must not be closed here, nor a copy of it (RecordingLock)
  std::uint32_t take = 0;
};

struct WriterStats {
  std::uint64_t committed = 0;
  std::uint64_t not_recorded = 0;  ///< given to append(), but could not be committed
  std::uint64_t commits = 0;       ///< groups
};

/// Adds one take to a cassette, making the file (0600 from its first byte, no link followed) when it is not there.
/// Holds the file against other recorders until it goes. Commits in groups on a thread of its own, WAL and synchronous
/// FULL.
class CassetteWriter {
 public:
  enum class Begin { now, later };

  /// Throws CassetteError; an existing file that is no usable cassette is not touched. With Begin::later nothing is
  /// written before begin(): a cassette that is there is held and looked at, one that is not is not made.
  CassetteWriter(const std::string& path, const TakeInfo& take, Begin begin = Begin::now);
  /// Commits what is queued; the take stays unfinished and unverified until finish().
  ~CassetteWriter();
  CassetteWriter(const CassetteWriter&) = delete;
  CassetteWriter& operator=(const CassetteWriter&) = delete;

  /// Begins the take, once, and commits what was queued before; handover() is for after it, and so is finish(). Throws
  /// CassetteError, and the cassette is what it was.
  void begin();

  /// Queues one interaction. `done(true)` is called on the writer's thread once it is on the disk; `done(false)` when
  /// it could not be stored (disk full, I/O error, a body over largest_body): the others of its group and later ones
  /// are not touched by that. Callable from any thread.
  /// `scrubbed_at` is Scrubber::generation() as it was before the interaction was scrubbed: when it is still the same
  /// at the end, finish() need not scrub this one again. 0: not known.
  void append(scrubbers::ScrubbedInteraction interaction, std::function<void(bool committed)> done,
              std::uint64_t scrubbed_at = 0);
  /// Queues an event; it is committed with the interactions that were queued beside it. Callable from any thread.
  void tell(TakeEvent event);
  /// `told` is called on the writer's thread with what a callback has thrown there; the thread goes on. Set it before
  /// the first append().
  void on_fault(std::function<void(const std::string& what)> told);
  /// `told` is called on the writer's thread after each group, when all `done` of it have been called. Set it before
  /// the first append().
  void after_group(std::function<void()> told);
  /// Waits until all that was appended before is committed or has failed.
  void flush();

  [[nodiscard]] WriterStats stats() const;
  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] Handover handover() const;

 private:
  friend struct FinishAccess;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::cassettes
