#pragma once
// What is committed goes into the write-ahead log, and from there into the file: beside the thread that commits,
// because all clients wait for that one.

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

#include "cassettes/write/recording_file.h"

namespace tapedeck::cassettes {

/// Copies the log into the file on a thread and through a connection of its own, and puts what it copied on the disk.
/// A log begins anew only where all of it is copied, and while commits go on something always is not: so now and then
/// the committing thread copies the little that is left. What an error keeps from being copied stays in the log, which
/// every reader takes into account, and is tried again later.
class Checkpointer {
 public:
  /// From now on commits of `file` copy nothing. Throws CassetteError.
  explicit Checkpointer(RecordingFile& file);
  /// Ends the thread.
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  /// On the committing thread, between two transactions.
  void after_commit();

 private:
  static int committed(void* self, sqlite3* handle, const char* name, int pages);
  void run();
  /// How many pages of the log are in the file then.
  [[nodiscard]] int copy(SQLite::Database& connection, int pages) noexcept;

  RecordingFile& file_;
  std::unique_ptr<SQLite::Database> connection_;  ///< the thread's alone
  int pages_ = 0;                                 ///< in the log; for the committing thread, as what follows
  int seen_ = 0;                                  ///< when it was looked at last
  int begin_anew_at_ = 0;
  std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  int in_log_ = 0, copied_ = 0;
  bool wanted_ = false, busy_ = false, ending_ = false;
  std::thread thread_;
};

}  // namespace tapedeck::cassettes
