#pragma once
// Prevents two programs from writing the same cassette.

#include <string>

#include "cassettes/file/files.h"

namespace tapedeck::cassettes {

/// An exclusive lock for writing or replacing a file. Combines flock, which works between processes and ends with the
/// process, with a list of the files that this process has locked. SQLite locks recordings by fcntl, and on some
/// systems both kinds of locks exclude each other. The lock of a recording is therefore on an empty file beside it.
class RecordingLock {
 public:
  /// Locks the cassette at `path`, even if another program replaces it meanwhile. Throws CassetteError(in_use) if it is
  /// locked, in this process or another.
  [[nodiscard]] static RecordingLock take(const std::string& path);
  /// Locks the recording at `path`, which need not exist, by the file `<path>-lock`. Throws CassetteError(in_use) if it
  /// is locked.
  [[nodiscard]] static RecordingLock beside(const std::string& path);
  /// Removes the file of beside().
  ~RecordingLock();
  RecordingLock(RecordingLock&&) noexcept = default;
  RecordingLock& operator=(RecordingLock&&) = delete;

 private:
  RecordingLock(Descriptor file, const std::string& path);

  Descriptor file_;
  FileId id_;
  std::string removed_;  ///< the file of beside()
};

/// Returns true if a program has locked this recording. If it is this process, the recording must not be opened or
/// closed outside of SQLite, because POSIX would then drop SQLite's locks.
[[nodiscard]] bool is_locked(const std::string& recording);
/// Removes the lock file of a recorder that was killed while it removed its recording. Throws CassetteError.
void remove_stale_lock(const std::string& recording);
/// Throws CassetteError(in_use) if the recording is locked.
void refuse_locked(const std::string& recording);

}  // namespace tapedeck::cassettes
