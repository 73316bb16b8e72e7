#pragma once
// The file `<cassette>.recording`, which holds a take until it is finished. The cassette is not touched meanwhile, so
// it cannot be damaged, and its readers are not affected.

#include <memory>
#include <optional>
#include <string>

#include "cassettes/file/connection.h"
#include "cassettes/file/recording_lock.h"
#include "cassettes/file/takes.h"
#include "cassettes/write/take_info.h"

namespace tapedeck::cassettes {

class RecordingFile {
 public:
  /// Creates and locks the file for one take, with mode 0600. Throws CassetteError(in_use) if it exists.
  [[nodiscard]] static RecordingFile create(const std::string& cassette, const TakeRow& take,
                                            const WriteOptions& options);
  /// Locks and opens what a killed recorder left. Returns nothing if there is nothing, or if no take had begun in it
  /// (it is then removed). Throws CassetteError, in_use if the recorder is alive.
  [[nodiscard]] static std::optional<RecordingFile> take_up(const std::string& cassette);

  RecordingFile(RecordingFile&&) noexcept = default;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] SQLite::Database& database() { return *database_; }
  /// Removes the file and SQLite's files beside it. Throws CassetteError.
  void remove();
  /// Does the same if there is no interaction and no note of the take.
  void remove_if_empty() noexcept;

 private:
  RecordingFile(std::string path, RecordingLock lock);
  void open();

  std::string path_;
  RecordingLock lock_;  ///< outlives the connection: closing its descriptor would drop SQLite's locks
  std::unique_ptr<SQLite::Database> database_;
};

/// A read connection to a recording, whether or not it is being written. Throws CassetteError.
class RecordingView {
 public:
  /// Returns nothing if there is no recording for this cassette. Reads a live recording in one transaction, and a
  /// private copy in `folder` of one that a killed recorder left.
  [[nodiscard]] static std::unique_ptr<RecordingView> open(const std::string& cassette, const std::string& folder);
  [[nodiscard]] SQLite::Database& database() { return *database_; }

 private:
  std::unique_ptr<SQLite::Database> database_;
};

/// Returns the take of a recording whose schema was checked.
[[nodiscard]] TakeRow take_in(SQLite::Database& recording);
[[nodiscard]] bool is_kept_when_killed(SQLite::Database& recording);

}  // namespace tapedeck::cassettes
