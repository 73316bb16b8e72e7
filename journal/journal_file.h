#pragma once
// The journal as a file of JSON lines.

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

/// Appends lines on a thread of its own, so that nobody who answers waits for a disk.
class JournalFile {
 public:
  static constexpr std::size_t most_waiting = 50'000;  ///< lines; more are left out of the file

  /// Mode 0600; no link is followed, and only an empty file or an earlier journal is written. Throws std::runtime_error
  /// with one clear line.
  explicit JournalFile(const std::string& path);
  /// Writes what is left.
  ~JournalFile();
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  void add(JournalLine line);
  /// Writes what is left, and then changes each line that this run has written. Nothing may be added afterwards.
  void rewrite(const std::function<std::string(std::string_view line)>& change);
  [[nodiscard]] std::uint64_t not_written() const { return not_written_; }

 private:
  void stop();
  void work();
  void write(const std::deque<JournalLine>& lines);

  base::Descriptor file_;
  std::uint64_t begin_ = 0;  ///< what is before it another run has written
  std::mutex mutex_;
  std::condition_variable added_;
  std::deque<JournalLine> lines_;  ///< guarded by mutex_
  bool ends_ = false;              ///< guarded by mutex_
  std::atomic<std::uint64_t> not_written_ = 0;
  std::thread thread_;
};

}  // namespace tapedeck::journal
