#pragma once
// A recording beside the cassette that it completes: until it is accepted, the cassette stays byte for byte as it was,
// whatever becomes of the run. Writing into the cassette itself and taking back what failed was not taken: a process
// that is killed takes nothing back.

#include <optional>
#include <string>

#include "cassettes/file/recording_lock.h"

namespace tapedeck::cassettes {

class StagedCassette {
 public:
  /// Copies the cassette at `path`, if there is one, to `path`.recording, and keeps other recorders from both. What an
  /// earlier run left there, because it was killed, becomes `path`.failed first. Throws CassetteError. Readers of the
  /// cassette in this process must be open by then (RecordingLock).
  explicit StagedCassette(const std::string& path);
  /// Takes over what a process that has died had staged; `lock` is the lock's descriptor of the cassette at `path`, if
  /// it had one.
  StagedCassette(const std::string& path, Descriptor lock);
  /// What was neither accepted nor kept is removed.
  ~StagedCassette();
  StagedCassette(const StagedCassette&) = delete;
  StagedCassette& operator=(const StagedCassette&) = delete;

  /// Of the cassette's lock; -1 while there is no cassette. As in Handover.
  [[nodiscard]] int lock() const { return lock_ ? lock_->file().number() : -1; }

  /// What is to be recorded into.
  [[nodiscard]] const std::string& path() const { return staged_; }
  /// True when something was moved to `path`.failed.
  [[nodiscard]] bool found_left_over() const { return found_left_over_; }

  /// The copy, which is finished, takes the cassette's place in one step. Throws CassetteError.
  void accept();
  /// The copy becomes `path`.failed, in the place of an earlier one. Returns that name. Throws CassetteError.
  std::string keep_as_failed();
  /// The copy stays where it is, whatever it is: finishing it went wrong.
  void leave() { is_settled_ = true; }

 private:
  void move_to_failed();

  std::string full_path_, staged_, failed_;
  std::optional<RecordingLock> lock_;  ///< of the cassette; none while there is no cassette
  bool found_left_over_ = false, is_settled_ = false;
};

}  // namespace tapedeck::cassettes
