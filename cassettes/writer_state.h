#pragma once
// What a CassetteWriter holds.

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "cassettes/cassette_writer.h"
#include "cassettes/recorded_rows.h"
#include "cassettes/recording_file.h"

namespace tapedeck::cassettes {

struct CassetteWriter::Impl {
  struct Item {
    scrubbers::ScrubbedInteraction interaction;
    std::function<void(bool)> done;
    std::uint64_t scrubbed_at;
  };

  Impl(const std::string& path, const TakeInfo& take);
  ~Impl();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// Commits what is queued, and ends the thread.
  void stop();
  void run();
  /// Called with the lock held.
  [[nodiscard]] std::vector<Item> next_group();
  [[nodiscard]] bool commit(const std::vector<Item>& group);

  RecordingFile file;                    ///< the thread's alone, until stop()
  std::unique_ptr<RecordedWriter> rows;  ///< as well; goes before the file
  std::function<void()> after_group;

  mutable std::mutex mutex;  ///< guards what follows
  std::condition_variable work, idle;
  std::deque<Item> queue;
  bool stopping = false;
  bool busy = false;  ///< a group is out of the queue and its callers are not told yet
  WriterStats stats;
  std::thread thread;
};

/// The one way for finish() to what the writer holds.
struct FinishAccess {
  using State = CassetteWriter::Impl;
  [[nodiscard]] static State& of(CassetteWriter& writer) { return *writer.impl_; }
};

}  // namespace tapedeck::cassettes
