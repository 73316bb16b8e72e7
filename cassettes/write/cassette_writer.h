#pragma once
// Recording into a cassette (design §4.5, docs/cassette-format.md "While recording").

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "cassettes/write/take_info.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

struct WriterStats {
  std::uint64_t committed = 0;
  std::uint64_t not_recorded = 0;  ///< given to append(), but could not be committed
  std::uint64_t commits = 0;       ///< groups
};

/// Records one take for a cassette into `<cassette>.recording`; finish() makes it part of the cassette. Holds both
/// against other recorders. Commits in groups on a thread of its own.
class CassetteWriter {
 public:
  enum class Begin { now, later };

  /// Checks the whole cassette, if there is one. Throws CassetteError when it is damaged or in use, and when an earlier
  /// recording was not finished (finish_leftover). With Begin::later nothing is written before begin().
  CassetteWriter(const std::string& path, const TakeInfo& take, Begin begin = Begin::now,
                 const WriteOptions& options = {});
  /// Commits what is queued. What was recorded stays until a later command finishes it; where nothing was, nothing
  /// stays.
  ~CassetteWriter();
  CassetteWriter(const CassetteWriter&) = delete;
  CassetteWriter& operator=(const CassetteWriter&) = delete;

  /// Begins the take, once, and commits what was queued before; finish() is for after it. Throws CassetteError.
  void begin();

  /// Queues one interaction. `done(true)` is called on the writer's thread once it is committed; `done(false)` when
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

  /// Ends the recording and removes it, with marks and reports on scopes. Throws CassetteError.
  void discard();

  [[nodiscard]] WriterStats stats() const;
  [[nodiscard]] const std::string& path() const;

 private:
  friend struct FinishAccess;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tapedeck::cassettes
