#pragma once
// Prevents two programs from writing the same cassette.

#include <string>

#include "cassettes/file/files.h"

namespace tapedeck::cassettes {

/// An exclusive lock for writing or replacing a file. Combines flock, which works between processes and ends with the
/// process, with a list of the files that this process has locked.
class RecordingLock {
 public:
  /// Locks the file at `path`, even if another program replaces it meanwhile. Throws CassetteError(in_use) if it is
  /// locked, in this process or another.
  [[nodiscard]] static RecordingLock take(const std::string& path);
  /// Locks an open file. `path` is for the error message.
  RecordingLock(Descriptor file, const std::string& path);
  ~RecordingLock();
  RecordingLock(RecordingLock&&) noexcept = default;
  RecordingLock& operator=(RecordingLock&&) = delete;

  [[nodiscard]] const Descriptor& file() const { return file_; }

 private:
  Descriptor file_;
  FileId id_;
};

/// Returns true if a program has locked this file. If it is this process, the file must not be opened or closed outside
/// of SQLite, because POSIX would then drop SQLite's locks.
[[nodiscard]] bool is_locked(const std::string& path);
/// Throws CassetteError(in_use) if the file is locked.
void refuse_locked(const std::string& path);

}  // namespace tapedeck::cassettes
