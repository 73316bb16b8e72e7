#pragma once
// Records into a cassette (docs/cassette-format.md, "Recording and finishing").

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cassettes/file/take.h"
#include "cassettes/write/socket_place.h"
#include "cassettes/write/take_event.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::cassettes {

struct WriterStats {
  std::uint64_t committed = 0;
  std::uint64_t not_recorded = 0;         ///< passed to append(), but not committed
  std::uint64_t commits = 0;              ///< number of committed groups
  std::uint64_t events_not_recorded = 0;  ///< passed to tell(), but not committed
  bool is_disk_full = false;              ///< the reason of the last failure
};

/// Stores interactions one after another. Tests replace it.
class InteractionStore {
 public:
  virtual ~InteractionStore() = default;
  /// Queues one interaction. Calls `done(true)` on the store's thread once it is committed, or `done(false)` if it
  /// could not be stored (disk full, I/O error, a body over largest_body). A failure does not affect other
  /// interactions. Thread-safe. `scrubbed_at` is the value of Scrubber::generation() before the interaction was
  /// scrubbed. If it is unchanged at the end, finish() does not scrub the interaction again. 0: unknown.
  virtual void append(scrubbers::ScrubbedInteraction interaction, std::function<void(bool committed)> done,
                      std::uint64_t scrubbed_at, const SocketPlace& place) = 0;
  /// Queues an event, which is committed with the interactions queued beside it. An event that could not be stored is
  /// tried again with each later group, and a last time at flush() and at the end. Then it is counted as not recorded,
  /// and reported to on_fault. Thread-safe.
  virtual void tell(TakeEvent event) = 0;
  /// Calls `told` on the store's thread after each group, after all `done` of the group. Set it before the first
  /// append().
  virtual void after_group(std::function<void()> told) = 0;
  /// Waits until everything that was appended is committed or has failed, and its callbacks have returned.
  virtual void flush() = 0;
};

/// Records one take of a cassette into `<cassette>.recording`. finish() makes it part of the cassette. Locks both
/// against other recorders. Commits in groups on its own thread.
class CassetteWriter : public InteractionStore {
 public:
  enum class Begin { now, later };

  /// `take` has what is known at its start; without an ID, it gets a random one. Checks the whole cassette, if there is
  /// one. Throws CassetteError if it is damaged or in use, or if an earlier recording is unfinished (finish_leftover).
  /// With Begin::later, nothing is written before begin().
  CassetteWriter(const std::string& path, const Take& take, Begin begin = Begin::now, const WriteOptions& options = {});
  /// Commits queued interactions. The recording stays until a later command finishes it; an empty one is removed.
  ~CassetteWriter() override;
  CassetteWriter(const CassetteWriter&) = delete;
  CassetteWriter& operator=(const CassetteWriter&) = delete;

  /// Begins the take and commits interactions that were queued before. Call it once, before finish(). Throws
  /// CassetteError.
  void begin();

  void append(scrubbers::ScrubbedInteraction interaction, std::function<void(bool committed)> done,
              std::uint64_t scrubbed_at = 0, const SocketPlace& place = {}) override;
  void tell(TakeEvent event) override;
  /// Calls `told` on the writer's thread with the message of an exception from a callback, and with one for events that
  /// were not recorded; the thread continues. Set it before the first append().
  void on_fault(std::function<void(const std::string& what)> told);
  void after_group(std::function<void()> told) override;
  /// Does not wait before begin().
  void flush() override;

  /// Ends the recording and removes it, with marks and reports on scopes. Throws CassetteError.
  void discard();

  [[nodiscard]] WriterStats stats() const;

 private:
  friend struct FinishAccess;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::cassettes
