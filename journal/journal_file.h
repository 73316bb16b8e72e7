#pragma once
// Writes the journal to a file of JSON lines.

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "base/descriptor.h"
#include "journal/journal.h"

namespace tapedeck::journal {

/// Appends lines on its own thread, so that requests do not wait for the disk.
class JournalFile {
 public:
  /// Limit for waiting lines; further ones are left out of the file.
  static constexpr std::size_t most_waiting = 50'000;

  /// Opens the file with mode 0600. Does not follow links, and only writes to an empty file or an earlier journal.
  /// Throws std::runtime_error.
  explicit JournalFile(const std::string& path);
  /// Writes the remaining lines.
  ~JournalFile();
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  void add(JournalLine line);
  /// Writes the remaining lines, then changes each line of this run. Nothing can be added afterwards.
  void rewrite(const std::function<std::string(std::string_view line)>& change);
  [[nodiscard]] std::uint64_t not_written() const { return not_written_; }

 private:
  void stop();
  void work();
  void write(const std::deque<JournalLine>& lines);

  base::Descriptor file_;
  std::uint64_t begin_ = 0;  ///< the end of what earlier runs have written
  std::mutex mutex_;
  std::condition_variable ending_;
  std::deque<JournalLine> lines_;  ///< guarded by mutex_
  bool ends_ = false;              ///< guarded by mutex_
  std::atomic<std::uint64_t> not_written_ = 0;
  std::thread thread_;
};

}  // namespace tapedeck::journal
