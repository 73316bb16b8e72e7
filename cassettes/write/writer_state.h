#pragma once
// What a CassetteWriter holds.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "cassettes/write/cassette_writer.h"
#include "cassettes/write/recorded_rows.h"
#include "cassettes/write/recording_file.h"

namespace tapedeck::cassettes {

struct CassetteWriter::Impl {
  struct Item {
    scrubbers::ScrubbedInteraction interaction;
    std::function<void(bool)> done;
    std::uint64_t scrubbed_at = 0;
    bool stored = false;  ///< what `done` is told
  };
  /// What is committed in one transaction.
  struct Group {
    std::vector<Item> items;
    std::vector<TakeEvent> events;
  };

  Impl(const std::string& path, const TakeInfo& take, const WriteOptions& options);
  ~Impl();
  void begin();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// Commits what is queued, and ends the thread.
  void stop();
  /// The thread.
  void run();
  /// Called with the mutex held.
  [[nodiscard]] Group next_group();
  void commit(Group& group) noexcept;
  void append(Group& group);
  /// What a callback throws goes to on_fault.
  void tell_callers(Group& group) noexcept;
  void guarded(const std::function<void()>& callback) noexcept;

  const std::string path;
  const TakeRow take;
  const WriteOptions options;
  std::optional<RecordingLock> lock;      ///< of the cassette; none while there is no cassette
  std::optional<RecordingFile> file;      ///< the thread's alone, until stop(); none before begin()
  std::unique_ptr<RecordedWriter> rows;   ///< as well; goes before the file
  std::function<void()> after_group;
  std::function<void(const std::string&)> on_fault;

  mutable std::mutex mutex;  ///< guards what follows
  std::condition_variable work, idle;
  std::deque<Item> queue;
  std::vector<TakeEvent> events;
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
