#include "cassettes/finish/packing_line.h"

#include <utility>

namespace tapedeck::cassettes {

namespace {

/// Threads that wake each other for every small body do little else.
constexpr std::size_t batch = 16;

}  // namespace

PackingLine::PackingLine(Packing packing, std::string_view dictionary, bool own_thread) : here_(packing, dictionary) {
  if (!own_thread) return;
  beside_.emplace(packing, dictionary);
  thread_ = std::thread([this] { run(); });
}

PackingLine::~PackingLine() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void PackingLine::give(std::string_view body) {
  const std::lock_guard lock(mutex_);
  jobs_.push_back({body, {}, nullptr});
  if (left() >= batch) changed_.notify_all();
}

PackingLine::Packed PackingLine::take() {
  std::unique_lock lock(mutex_);
  while (!jobs_.front().done && left() > 0) pack_next(here_, lock);
  wanted_ = true;
  changed_.wait(lock, [this] { return jobs_.front().done; });
  wanted_ = false;
  Job job = std::move(jobs_.front());
  jobs_.pop_front();
  --begun_;
  if (job.fault) std::rethrow_exception(job.fault);
  return std::move(job.packed);
}

void PackingLine::pack_next(BodyPacker& packer, std::unique_lock<std::mutex>& lock) {
  // A reference into a deque stays good while others are put behind it and taken before it.
  Job& job = jobs_[begun_++];
  lock.unlock();
  try {
    const BodyPacker::Packed packed = packer.pack(job.body);
    job.packed.encoding = packed.encoding;
    if (packed.encoding != BodyEncoding::plain) job.packed.bytes = packed.bytes;
  } catch (...) {
    job.fault = std::current_exception();
  }
  lock.lock();
  job.done = true;
}

void PackingLine::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || left() >= batch; });
    for (std::size_t i = 0; i < batch && left() > 0 && !ending_; ++i) {
      pack_next(*beside_, lock);
      if (wanted_) changed_.notify_all();
    }
    if (ending_) return;
  }
}

}  // namespace tapedeck::cassettes
