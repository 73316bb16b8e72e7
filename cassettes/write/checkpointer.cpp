#include "cassettes/write/checkpointer.h"

#include <sqlite3.h>

#include <exception>

namespace tapedeck::cassettes {

namespace {

/// So many pages are copied at a time; of 16 KiB each.
constexpr int at_once = 128;
/// With so many the log is to begin anew: no sooner, since commits wait for it, and no later, since it takes room.
constexpr int many_pages = 1024;

}  // namespace

Checkpointer::Checkpointer(RecordingFile& file)
    : file_(file), connection_(file.second_connection()), begin_anew_at_(many_pages) {
  // In the place of SQLite's own, which copies within a commit.
  sqlite3_wal_hook(file_.database().getHandle(), &Checkpointer::committed, this);
  thread_ = std::thread([this] { run(); });
}

Checkpointer::~Checkpointer() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
  sqlite3_wal_hook(file_.database().getHandle(), nullptr, nullptr);
}

int Checkpointer::committed(void* self, sqlite3* /*handle*/, const char* /*name*/, int pages) {
  static_cast<Checkpointer*>(self)->pages_ = pages;
  return SQLITE_OK;
}

void Checkpointer::after_commit() {
  if (pages_ < seen_) begin_anew_at_ = many_pages;
  seen_ = pages_;
  std::unique_lock lock(mutex_);
  in_log_ = pages_;
  if (copied_ > pages_) copied_ = 0;
  if (pages_ < begin_anew_at_ || (busy_ && pages_ < 2 * begin_anew_at_)) {
    wanted_ = pages_ - copied_ >= at_once;
    if (wanted_ && !busy_) changed_.notify_all();
    return;
  }
  changed_.wait(lock, [this] { return !busy_; });
  busy_ = true;
  lock.unlock();
  const int copied = copy(file_.database(), pages_);
  begin_anew_at_ = pages_ + many_pages;
  lock.lock();
  busy_ = wanted_ = false;
  copied_ = copied;
}

int Checkpointer::copy(SQLite::Database& connection, int pages) noexcept {
  try {
    Query query(connection, "PRAGMA wal_checkpoint(PASSIVE)");
    Rows rows(query);
    const int copied = query.step() ? static_cast<int>(query.number(2)) : pages;
    // SQLite does it where nothing is left to copy: then there is as good as nothing to do.
    if (&connection == connection_.get()) file_.sync_copied();
    return copied;
  } catch (const std::exception&) {
    return pages;  // it is tried again when there is more
  }
}

void Checkpointer::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || (wanted_ && !busy_); });
    if (ending_) return;
    wanted_ = false;
    busy_ = true;
    const int pages = in_log_;
    lock.unlock();
    const int copied = copy(*connection_, pages);
    lock.lock();
    busy_ = false;
    copied_ = copied;
    changed_.notify_all();
  }
}

}  // namespace tapedeck::cassettes
