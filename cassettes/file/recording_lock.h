#pragma once
// The lock against a second recorder.

#include <functional>
#include <memory>
#include <string>

#include "cassettes/file/files.h"

namespace tapedeck::cassettes {

/// The right to record into a file: flock on a descriptor of its own, and a note for this process.
///
/// The note is needed because POSIX drops every lock of a process on a file when any of its descriptors of that file is
/// closed, SQLite's included: a reader in the same process must neither open nor close the file while it is recorded.
class RecordingLock {
 public:
  /// Throws CassetteError(in_use) when another recorder has it, in this process or another.
  /// Waits for a keeper that is at work (wait_for_keeper()).
  [[nodiscard]] static RecordingLock take(const std::string& path);
  /// For a file just made, not yet at its name, or one whose lock is shared by this very descriptor.
  RecordingLock(Descriptor file, const std::string& path);
  ~RecordingLock();
  RecordingLock(RecordingLock&&) noexcept = default;
  RecordingLock& operator=(RecordingLock&&) = delete;

  [[nodiscard]] const Descriptor& file() const { return file_; }

  /// True when this process records into that file.
  [[nodiscard]] static bool held_here(FileId file);
  /// Keeps what must not be closed while the file is recorded in this process; false when it is not.
  static bool keep_open(FileId file, std::shared_ptr<void> what);

 private:
  Descriptor file_;
  FileId id_;
};

/// True when another process holds the RecordingLock of an open file.
[[nodiscard]] bool recorded_elsewhere(const Descriptor& file);
/// The lock of a file that is open in SQLite is shared with a keeper, who finishes what its recorder leaves (semantics
/// §6).
void mark_as_kept(int file);
/// The recorder has died, and its keeper is at work.
void mark_as_finishing(const Descriptor& file);
/// Waits as long as the file's recorder has died and a keeper finishes what it left. False when there was nothing to
/// wait for.
bool wait_for_keeper(const std::string& path);
/// `told` is called with a path that is being waited for, once for each wait. Set it before there are threads.
void say_who_waits(std::function<void(const std::string& path)> told);
/// Does nothing to a file that somebody holds a RecordingLock of, nor to one that cannot be opened.
void remove_unless_locked(const std::string& path);

}  // namespace tapedeck::cassettes
