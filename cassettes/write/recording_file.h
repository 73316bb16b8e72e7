#pragma once
// A cassette held open for recording or finishing.

#include <memory>
#include <optional>
#include <string>

#include "cassettes/file/connection.h"
#include "cassettes/file/recording_lock.h"
#include "cassettes/file/schema.h"
#include "cassettes/file/takes.h"

namespace tapedeck::cassettes {

class RecordingFile {
 public:
  /// Makes the cassette with its first take; WAL and synchronous FULL from then on. Throws CassetteError.
  [[nodiscard]] static RecordingFile make(const std::string& path, TakeRow take);
  /// Takes up a cassette as it is. Throws CassetteError.
  [[nodiscard]] static RecordingFile take_up(const std::string& path);
  /// Goes on with a take whose recorder has died; `lock` is its lock's descriptor. Nothing when another file is at that
  /// name, because the recorder had finished. Throws CassetteError.
  [[nodiscard]] static std::optional<RecordingFile> take_over(const std::string& path, Descriptor lock,
                                                              std::uint32_t take);

  RecordingFile(RecordingFile&&) noexcept = default;

  /// Adds a take to what was taken up; take() is set. WAL and synchronous FULL from then on. Throws CassetteError, and
  /// the cassette is what it was.
  void begin_take(TakeRow take);
  [[nodiscard]] const std::string& path() const { return path_; }            ///< as it was given
  [[nodiscard]] const std::string& full_path() const { return full_path_; }  ///< what the system is asked for
  [[nodiscard]] SQLite::Database& database() { return *database_; }
  /// Of the same file, for another thread; to be closed before close(). It has read something: the log is open.
  /// Throws CassetteError.
  [[nodiscard]] std::unique_ptr<SQLite::Database> second_connection() const;
  /// Puts on the disk what was copied from the WAL into the file. From any thread. Throws CassetteError.
  void sync_copied() const;
  [[nodiscard]] State state() const { return state_; }
  [[nodiscard]] std::uint32_t take() const { return take_; }
  [[nodiscard]] const Descriptor& lock() const { return lock_.file(); }
  /// Folds the WAL into the file and closes it: nothing is beside it afterwards. Throws CassetteError(in_use) when a
  /// reader keeps the WAL from being emptied. The lock stays.
  void close();

 private:
  RecordingFile(std::string path, std::string full_path, RecordingLock lock);
  [[nodiscard]] static RecordingFile create(const std::string& path, const std::string& full_path, TakeRow take);
  void open();
  void enter_wal();
  void leave_wal() noexcept;
  void add_take(TakeRow take);

  std::string path_, full_path_;
  RecordingLock lock_;  ///< outlives the connection: closing its descriptor would drop SQLite's locks
  std::unique_ptr<SQLite::Database> database_;
  State state_ = State::recording;
  std::uint32_t take_ = 0;
};

}  // namespace tapedeck::cassettes
