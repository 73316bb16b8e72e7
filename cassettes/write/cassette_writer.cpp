#include "cassettes/write/cassette_writer.h"

#include <sqlite3.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/digest.h"
#include "cassettes/read/check_cassette.h"
#include "cassettes/write/writer_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::size_t most_in_group = 256;
constexpr std::size_t most_bytes_in_group = 4u << 20;

/// Fills in what the caller does not know.
Take begun(Take take) {
  take.number = 1;
  take.ended_us = take.started_us;
  if (take.id.empty()) take.id = base::random_bytes(take_name_size);
  return take;
}

std::size_t bytes_of(const scrubbers::InteractionRecord& record) {
  return record.request.body.size() + record.response.body.size() + record.request.target.size();
}

/// Returns true if the bodies are not too large for a cassette.
bool can_be_held(const scrubbers::InteractionRecord& record) {
  return record.request.body.size() <= largest_body && record.response.body.size() <= largest_body;
}

}  // namespace

CassetteWriter::Impl::Impl(const std::string& given, const Take& described, const WriteOptions& how)
    : path(given), take(begun(described)), options(how) {
  const std::string full = full_path(path);
  refuse_locked(recording_of(full));
  if (!exists(full)) return;
  check_cassette(path);
  lock.emplace(RecordingLock::take(full));
}

void CassetteWriter::Impl::begin() {
  file.emplace(RecordingFile::create(path, take, options));
  rows = std::make_unique<RecordedWriter>(file->database());
  thread = std::thread([this] { run(); });
}

CassetteWriter::Impl::~Impl() {
  stop();
  if (file) file->remove_if_empty();
}

void CassetteWriter::Impl::stop() {
  {
    const std::lock_guard guard(mutex);
    stopping = true;
  }
  work.notify_one();
  if (thread.joinable()) thread.join();
  rows.reset();
}

CassetteWriter::Impl::Group CassetteWriter::Impl::next_group() {
  Group group;
  std::size_t bytes = 0;
  while (!queue.empty() && group.items.size() < most_in_group && bytes < most_bytes_in_group) {
    bytes += bytes_of(queue.front().interaction.record());
    group.items.push_back(std::move(queue.front()));
    queue.pop_front();
  }
  // Events of later interactions may be committed earlier, because they have their own times.
  group.events.swap(unstored);
  std::move(events.begin(), events.end(), std::back_inserter(group.events));
  events.clear();
  return group;
}

void CassetteWriter::Impl::run() {
  std::unique_lock guard(mutex);
  for (;;) {
    work.wait(guard, [this] { return stopping || flushing || !queue.empty() || !events.empty(); });
    if (queue.empty() && events.empty() && unstored.empty()) {
      flushing = false;
      idle.notify_all();
      if (stopping) return;
      continue;
    }
    const bool is_last_try = flushing || stopping;
    Group group = next_group();
    guard.unlock();
    commit(group);
    tell_callers(group);
    const auto stored = static_cast<std::uint64_t>(
        std::count_if(group.items.begin(), group.items.end(), [](const Item& item) { return item.stored; }));
    const std::uint64_t lost = group.items.size() - stored;
    group.items.clear();  // outside of the lock, which append() needs
    guard.lock();
    stats.committed += stored;
    stats.not_recorded += lost;
    stats.commits += stored > 0 ? 1 : 0;
    unstored = std::move(group.events);
    if (is_last_try && queue.empty() && events.empty()) give_up_events(guard);
  }
}

void CassetteWriter::Impl::give_up_events(std::unique_lock<std::mutex>& guard) {
  const std::size_t lost = std::exchange(unstored, {}).size();
  if (lost == 0) return;
  stats.events_not_recorded += lost;
  guard.unlock();
  guarded([&] {
    if (on_fault) on_fault(std::to_string(lost) + " marks or results of scopes could not be stored");
  });
  guard.lock();
}

void CassetteWriter::Impl::append(Group& group) {
  sqlite3* const handle = file->database().getHandle();
  // A row that cannot be stored does not affect other rows, unless the whole transaction was rolled back.
  const auto is_stored = [&](const auto& append_row) {
    try {
      append_row();
      return true;
    } catch (const SQLite::Exception& error) {
      note(error);
      if (sqlite3_get_autocommit(handle) != 0) throw;
      return false;
    }
  };
  for (Item& item : group.items) {
    const scrubbers::InteractionRecord& record = item.interaction.record();
    item.stored = can_be_held(record) && is_stored([&] { rows->append(item.scrubbed_at, record, item.place); });
  }
  for (const TakeEvent& event : group.events) {
    if (!is_stored([&] { rows->append(event); })) group.refused.push_back(event);
  }
}

void CassetteWriter::Impl::commit(Group& group) noexcept {
  // After any error, the next group is tried, because a full disk may have room by then.
  try {
    SQLite::Transaction transaction(file->database(), SQLite::TransactionBehavior::IMMEDIATE);
    append(group);
    transaction.commit();
    group.events = std::move(group.refused);
  } catch (const SQLite::Exception& error) {
    note(error);
    for (Item& item : group.items) item.stored = false;
  } catch (const std::exception&) {
    for (Item& item : group.items) item.stored = false;
  }
}

void CassetteWriter::Impl::note(const SQLite::Exception& error) {
  const std::lock_guard guard(mutex);
  stats.is_disk_full = error.getErrorCode() == SQLITE_FULL;
}

void CassetteWriter::Impl::guarded(const std::function<void()>& callback) noexcept {
  try {
    if (callback) callback();
  } catch (const std::exception& error) {
    if (on_fault) on_fault(error.what());
  } catch (...) {
    if (on_fault) on_fault("unknown error");
  }
}

void CassetteWriter::Impl::tell_callers(Group& group) noexcept {
  for (Item& item : group.items) {
    if (item.done) guarded([&item] { item.done(item.stored); });
  }
  guarded(after_group);
}

CassetteWriter::CassetteWriter(const std::string& path, const Take& take, Begin begin, const WriteOptions& options) {
  try {
    impl_ = std::make_unique<Impl>(path, take, options);
    if (begin == Begin::now) impl_->begin();
  } catch (...) {
    rethrow_for(path);
  }
}

CassetteWriter::~CassetteWriter() = default;

void CassetteWriter::begin() {
  try {
    impl_->begin();
  } catch (...) {
    rethrow_for(impl_->path);
  }
}

void CassetteWriter::append(scrubbers::ScrubbedInteraction interaction, std::function<void(bool committed)> done,
                            std::uint64_t scrubbed_at, const SocketPlace& place) {
  {
    const std::lock_guard guard(impl_->mutex);
    impl_->queue.push_back({std::move(interaction), std::move(done), scrubbed_at, place});
  }
  impl_->work.notify_one();
}

void CassetteWriter::tell(TakeEvent event) {
  {
    const std::lock_guard guard(impl_->mutex);
    impl_->events.push_back(std::move(event));
  }
  impl_->work.notify_one();
}

void CassetteWriter::discard() {
  impl_->stop();
  if (impl_->file) impl_->file->remove();
}

void CassetteWriter::on_fault(std::function<void(const std::string& what)> told) { impl_->on_fault = std::move(told); }

void CassetteWriter::after_group(std::function<void()> told) { impl_->after_group = std::move(told); }

void CassetteWriter::flush() {
  std::unique_lock guard(impl_->mutex);
  if (!impl_->thread.joinable()) return;
  impl_->flushing = true;
  impl_->work.notify_one();
  impl_->idle.wait(guard, [this] { return !impl_->flushing; });
}

WriterStats CassetteWriter::stats() const {
  const std::lock_guard guard(impl_->mutex);
  return impl_->stats;
}

}  // namespace tapedeck::cassettes
