#pragma once
// The file `<cassette>.recording`: a take until it is finished. The cassette itself is not touched while its next take is
// recorded, so nothing can damage it, and whoever reads it notices nothing.

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
  /// Creates the file for one take, mode 0600, and locks it. Throws CassetteError(in_use) when there is one.
  [[nodiscard]] static RecordingFile create(const std::string& cassette, const TakeRow& take,
                                            const WriteOptions& options);
  /// Locks and opens what a killed recorder has left; nothing when there is nothing, or when no take had begun in it
  /// (then it is removed). Throws CassetteError, in_use when its recorder is alive.
  [[nodiscard]] static std::optional<RecordingFile> take_up(const std::string& cassette);

  RecordingFile(RecordingFile&&) noexcept = default;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] SQLite::Database& database() { return *database_; }
  /// Removes the file and what SQLite keeps beside it. Throws CassetteError.
  void remove();
  /// The same when it has no interaction and no note of the take.
  void remove_if_empty() noexcept;

 private:
  RecordingFile(std::string path, RecordingLock lock);
  void open();

  std::string path_;
  RecordingLock lock_;  ///< outlives the connection: closing its descriptor would drop SQLite's locks
  std::unique_ptr<SQLite::Database> database_;
};

/// A connection for reading a recording, whoever writes it, and what it says of itself. Throws CassetteError.
class RecordingView {
 public:
  /// Nothing when there is no recording that becomes the cassette at that path. A live one is read in one transaction; of
  /// one that a killed recorder has left, a private copy in `folder` is recovered and read.
  [[nodiscard]] static std::unique_ptr<RecordingView> open(const std::string& cassette, const std::string& folder);
  [[nodiscard]] SQLite::Database& database() { return *database_; }

 private:
  std::unique_ptr<SQLite::Database> database_;
};

/// Of a recording whose schema was checked.
[[nodiscard]] TakeRow take_in(SQLite::Database& recording);
[[nodiscard]] bool is_kept_when_killed(SQLite::Database& recording);

}  // namespace tapedeck::cassettes
