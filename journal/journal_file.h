#pragma once
// The journal as a file of JSON lines.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include "base/descriptor.h"
#include "journal/journal.h"

namespace tapedeck::journal {

/// Appends lines on a thread of its own, so that nobody who answers waits for a disk.
class JournalFile {
 public:
  static constexpr std::size_t most_waiting = 50'000;  ///< lines; more are left out of the file

  /// Mode 0600; no symbolic link is followed, and only a regular file is written. Throws std::runtime_error with one
  /// clear line.
  explicit JournalFile(const std::string& path);
  /// Writes what is left.
  ~JournalFile();
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  void add(JournalLine line);
  [[nodiscard]] std::uint64_t not_written() const { return not_written_; }

 private:
  void work();
  void write(const std::deque<JournalLine>& lines);

  base::Descriptor file_;
  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<JournalLine> lines_;  ///< guarded by mutex_
  bool ends_ = false;              ///< guarded by mutex_
  std::atomic<std::uint64_t> not_written_ = 0;
  std::thread thread_;
};

}  // namespace tapedeck::journal
