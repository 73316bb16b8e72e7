#pragma once
// Creates and opens the file `<cassette>.recording`, which contains a take until it is finished. Nothing is written to
// the cassette before that, so recording cannot damage the cassette or affect its readers.

#include <memory>
#include <optional>
#include <string>

#include "cassettes/file/connection.h"
#include "cassettes/file/recording_lock.h"
#include "cassettes/file/rows.h"
#include "cassettes/write/take_event.h"

namespace tapedeck::cassettes {

class RecordingFile {
 public:
  /// Creates and locks the file for one take, with mode 0600. Throws CassetteError(in_use) if it exists.
  [[nodiscard]] static RecordingFile create(const std::string& cassette, const Take& take, const WriteOptions& options);
  /// Locks and opens the file that a killed recorder left. Returns nothing if there is none, and removes the lock file
  /// that a recorder leaves if it is killed just before its end. If no take had begun, removes the file and returns
  /// nothing. Throws CassetteError (in_use if the recorder is still running).
  [[nodiscard]] static std::optional<RecordingFile> take_up(const std::string& cassette);

  RecordingFile(RecordingFile&&) noexcept = default;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] SQLite::Database& database() { return *database_; }
  /// Removes the file and SQLite's files beside it. Throws CassetteError.
  void remove();
  /// Removes the files if the take has neither interactions nor notes.
  void remove_if_empty() noexcept;

 private:
  RecordingFile(std::string path, RecordingLock lock);
  void open();

  std::string path_;
  RecordingLock lock_;
  std::unique_ptr<SQLite::Database> database_;
};

/// Returns a connection that reads a recording in one transaction, even while it is written. Copies the recording of a
/// killed recorder to `folder` first. Returns null if there is no recording or none to keep
/// (WriteOptions::kept_when_killed). Throws CassetteError.
[[nodiscard]] std::unique_ptr<SQLite::Database> open_to_read(const std::string& cassette, const std::string& folder);

/// Returns the take of a recording. Requires that the schema was checked. Throws Damage.
[[nodiscard]] Take take_in(SQLite::Database& recording);
[[nodiscard]] bool is_kept_when_killed(SQLite::Database& recording);

}  // namespace tapedeck::cassettes
