#include "cassettes/write/cassette_writer.h"

#include "cassettes/write/writer_state.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::size_t most_in_group = 256;
constexpr std::size_t most_bytes_in_group = 4u << 20;

TakeRow row_of(const TakeInfo& info) {
  TakeRow take;
  take.started_us = take.ended_us = info.started_us;
  take.tool_version = info.tool_version;
  take.key_policy = info.key_policy;
  take.scrub_policy = info.scrub_policy;
  take.base_path = info.base_path;
  return take;
}

std::size_t bytes_of(const scrubbers::InteractionRecord& record) {
  return record.request.body.size() + record.response.body.size() + record.request.target.size();
}

/// Rolled back unless it was committed.
class Transaction {
 public:
  explicit Transaction(TransactionEnds& ends) : ends_(ends) { ends_.begin.run(); }
  ~Transaction() {
    if (committed_) return;
    try {
      ends_.rollback.run();
    } catch (const SQLite::Exception&) {
      return;  // a fault may have rolled it back already
    }
  }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit() {
    ends_.commit.run();
    committed_ = true;
  }

 private:
  TransactionEnds& ends_;
  bool committed_ = false;
};

}  // namespace

CassetteWriter::Impl::Impl(const std::string& path, const TakeInfo& take)
    : file(RecordingFile::begin_take(path, row_of(take))),
      rows(std::make_unique<RecordedWriter>(file.database())),
      ends(std::make_unique<TransactionEnds>(file.database())) {
  thread = std::thread([this] { run(); });
}

CassetteWriter::Impl::~Impl() { stop(); }

void CassetteWriter::Impl::stop() {
  {
    const std::lock_guard lock(mutex);
    stopping = true;
  }
  work.notify_one();
  if (thread.joinable()) thread.join();
  rows.reset();
  ends.reset();
}

std::list<CassetteWriter::Impl::Item> CassetteWriter::Impl::next_group() {
  std::list<Item> group;
  std::size_t bytes = 0;
  while (!queue.empty() && group.size() < most_in_group && bytes < most_bytes_in_group) {
    bytes += bytes_of(queue.front().interaction.record());
    group.splice(group.end(), queue, queue.begin());
  }
  return group;
}

void CassetteWriter::Impl::run() {
  std::unique_lock lock(mutex);
  for (;;) {
    work.wait(lock, [this] { return stopping || !queue.empty(); });
    if (queue.empty()) return;
    std::list<Item> group = next_group();
    busy = true;
    lock.unlock();
    const bool committed = commit(group);
    for (Item& item : group) {
      if (item.done) item.done(committed);
    }
    if (after_group) after_group();
    const std::size_t count = group.size();
    group.clear();  // without the lock: append() would wait for it
    lock.lock();
    busy = false;
    (committed ? stats.committed : stats.not_recorded) += count;
    stats.commits += committed ? 1 : 0;
    if (queue.empty()) idle.notify_all();
  }
}

bool CassetteWriter::Impl::commit(const std::list<Item>& group) {
  // Whatever SQLite says, the next group is tried again: a full disk may have room by then.
  try {
    Transaction transaction(*ends);
    for (const Item& item : group) rows->append(file.take(), item.scrubbed_at, item.interaction.record());
    transaction.commit();
    return true;
  } catch (const SQLite::Exception&) {
    return false;
  } catch (const Damage&) {
    return false;
  }
}

CassetteWriter::CassetteWriter(const std::string& path, const TakeInfo& take)
    : impl_(std::make_unique<Impl>(path, take)) {}

CassetteWriter::~CassetteWriter() = default;

void CassetteWriter::append(scrubbers::ScrubbedInteraction interaction, std::function<void(bool committed)> done,
                            std::uint64_t scrubbed_at) {
  std::list<Impl::Item> one;
  one.emplace_back(std::move(interaction), std::move(done), scrubbed_at);
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->queue.splice(impl_->queue.end(), one);
  }
  impl_->work.notify_one();
}

void CassetteWriter::after_group(std::function<void()> told) { impl_->after_group = std::move(told); }

void CassetteWriter::flush() {
  std::unique_lock lock(impl_->mutex);
  impl_->idle.wait(lock, [this] { return impl_->queue.empty() && !impl_->busy; });
}

WriterStats CassetteWriter::stats() const {
  const std::lock_guard lock(impl_->mutex);
  return impl_->stats;
}

const std::string& CassetteWriter::path() const { return impl_->file.path(); }

}  // namespace tapedeck::cassettes
