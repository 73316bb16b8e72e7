#pragma once
// The lock against a second recorder.

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
  [[nodiscard]] static RecordingLock take(const std::string& path);
  /// For a file just made, not yet at its name.
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
/// Does nothing to a file that somebody holds a RecordingLock of, nor to one that cannot be opened.
void remove_unless_locked(const std::string& path);

}  // namespace tapedeck::cassettes
