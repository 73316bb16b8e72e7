#pragma once
// The state of a CassetteWriter.

#include <condition_variable>
#include <list>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "cassettes/write/cassette_writer.h"
#include "cassettes/write/recorded_rows.h"
#include "cassettes/write/recording_file.h"

namespace tapedeck::cassettes {

/// The statements that begin and end a transaction, compiled once.
struct TransactionEnds {
  explicit TransactionEnds(SQLite::Database& database)
      : begin(database, "BEGIN IMMEDIATE"), commit(database, "COMMIT"), rollback(database, "ROLLBACK") {}
  Query begin, commit, rollback;
};

struct CassetteWriter::Impl {
  struct Item {
    Item(scrubbers::ScrubbedInteraction&& given, std::function<void(bool)> told, std::uint64_t generation)
        : interaction(std::move(given)), done(std::move(told)), scrubbed_at(generation) {}
    scrubbers::ScrubbedInteraction interaction;
    std::function<void(bool)> done;
    std::uint64_t scrubbed_at;
    bool stored = false;  ///< the argument of `done`
  };
  /// The interactions of one transaction.
  struct Group {
    std::list<Item> items;
    std::vector<TakeEvent> events;
  };

  Impl(const std::string& path, const TakeInfo& take, const WriteOptions& options);
  ~Impl();
  void begin();
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// Commits what is queued and ends the thread.
  void stop();
  /// The thread's function.
  void run();
  /// Requires that the mutex is held.
  [[nodiscard]] Group next_group();
  void commit(Group& group) noexcept;
  void append(Group& group);
  /// Exceptions of callbacks go to on_fault.
  void tell_callers(Group& group) noexcept;
  void guarded(const std::function<void()>& callback) noexcept;

  const std::string path;
  const TakeRow take;
  const WriteOptions options;
  std::optional<RecordingLock> lock;      ///< of the cassette; empty if there is none
  std::optional<RecordingFile> file;      ///< used only by the thread until stop(); empty before begin()
  std::unique_ptr<RecordedWriter> rows;   ///< likewise; destroyed before the file
  std::unique_ptr<TransactionEnds> ends;  ///< likewise
  std::function<void()> after_group;
  std::function<void(const std::string&)> on_fault;

  mutable std::mutex mutex;  ///< guards the following members
  std::condition_variable work, idle;
  std::list<Item> queue;  ///< linked into a group without moving, because a record has many parts
  std::vector<TakeEvent> events;
  bool stopping = false;
  bool busy = false;  ///< a group was taken from the queue, and its callers were not called yet
  WriterStats stats;
  std::thread thread;
};

/// Gives finish() access to the writer's state.
struct FinishAccess {
  using State = CassetteWriter::Impl;
  [[nodiscard]] static State& of(CassetteWriter& writer) { return *writer.impl_; }
};

}  // namespace tapedeck::cassettes
