#pragma once
// The lock against a second program that writes a cassette.

#include <string>

#include "cassettes/file/files.h"

namespace tapedeck::cassettes {

/// An exclusive lock for writing or replacing a file. Combines flock, which works between processes and ends with the
/// process, with a list of the files that this process has locked.
class RecordingLock {
 public:
  /// Locks the file at `path`, which may be replaced meanwhile by one that another program has finished. Throws
  /// CassetteError(in_use) when another recorder or rewriter has it, in this process or another.
  [[nodiscard]] static RecordingLock take(const std::string& path);
  /// Locks a file that is open. `path` is what a refusal names.
  RecordingLock(Descriptor file, const std::string& path);
  ~RecordingLock();
  RecordingLock(RecordingLock&&) noexcept = default;
  RecordingLock& operator=(RecordingLock&&) = delete;

  [[nodiscard]] const Descriptor& file() const { return file_; }

 private:
  Descriptor file_;
  FileId id_;
};

enum class Recorder {
  none,          ///< nobody holds the lock
  this_process,  ///< its file must be neither opened nor closed outside of SQLite: POSIX would drop SQLite's locks
  another,
};
/// Returns who holds the lock of the file with that name; `none` where there is no file.
[[nodiscard]] Recorder recorder_of(const std::string& path);

}  // namespace tapedeck::cassettes
