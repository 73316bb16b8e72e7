#pragma once
// The state of a CassetteWriter.

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
    SocketPlace place;
    bool stored = false;  ///< argument of `done`
  };
  /// The interactions of one transaction.
  struct Group {
    std::vector<Item> items;
    std::vector<TakeEvent> events;   ///< after the commit: those that are not stored
    std::vector<TakeEvent> refused;  ///< events whose rows cannot be stored
  };

  Impl(const std::string& path, const Take& take, const WriteOptions& options);
  ~Impl();
  void begin();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// Commits queued interactions and ends the thread.
  void stop();
  /// The thread's function.
  void run();
  /// Requires that the mutex is locked.
  [[nodiscard]] Group next_group();
  void commit(Group& group) noexcept;
  /// Keeps the reason of a failure for the log.
  void note(const SQLite::Exception& error);
  void append(Group& group);
  /// Counts and reports events that could not be stored. Requires that `guard` is locked.
  void give_up_events(std::unique_lock<std::mutex>& guard);
  /// Calls the `done` functions of a group. Exceptions are passed to on_fault.
  void tell_callers(Group& group) noexcept;
  void guarded(const std::function<void()>& callback) noexcept;

  const std::string path;
  const Take take;
  const WriteOptions options;
  std::optional<RecordingLock> lock;     ///< lock of the cassette; empty if there is none
  std::optional<RecordingFile> file;     ///< used only by the thread until stop(); empty before begin()
  std::unique_ptr<RecordedWriter> rows;  ///< used in the same way, and destroyed before the file
  std::function<void()> after_group;
  std::function<void(const std::string&)> on_fault;

  mutable std::mutex mutex;  ///< guards the following members
  std::condition_variable work, idle;
  std::deque<Item> queue;
  std::vector<TakeEvent> events;
  std::vector<TakeEvent> unstored;  ///< events that could not be stored yet
  bool flushing = false;            ///< flush() waits
  bool stopping = false;
  WriterStats stats;
  std::thread thread;
};

/// Gives finish() access to the writer's state.
struct FinishAccess {
  using State = CassetteWriter::Impl;
  [[nodiscard]] static State& of(CassetteWriter& writer) { return *writer.impl_; }
};

}  // namespace tapedeck::cassettes
