#include "cassettes/finish/packing_line.h"

#include <utility>

namespace tapedeck::cassettes {

namespace {

/// Threads that wake each other for every small body do little else.
constexpr std::size_t batch = 16;

}  // namespace

PackingLine::PackingLine(Packing packing, std::string_view dictionary, bool own_thread) : packer_(packing, dictionary) {
  if (own_thread) thread_ = std::thread([this] { run(); });
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
  if (!thread_.joinable()) {
    pack(jobs_.back());
    ++done_;
  } else if (jobs_.size() - done_ >= batch) {
    changed_.notify_all();
  }
}

PackingLine::Packed PackingLine::take() {
  std::unique_lock lock(mutex_);
  if (done_ == 0) {
    wanted_ = true;
    changed_.notify_all();
    changed_.wait(lock, [this] { return done_ > 0; });
    wanted_ = false;
  }
  Job job = std::move(jobs_.front());
  jobs_.pop_front();
  --done_;
  if (job.fault) std::rethrow_exception(job.fault);
  return std::move(job.packed);
}

void PackingLine::pack(Job& job) noexcept {
  try {
    const BodyPacker::Packed packed = packer_.pack(job.body);
    job.packed.encoding = packed.encoding;
    if (packed.encoding != BodyEncoding::plain) job.packed.bytes = packed.bytes;
  } catch (...) {
    job.fault = std::current_exception();
  }
}

void PackingLine::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto left = [this] { return jobs_.size() - done_; };
    changed_.wait(lock, [&] { return ending_ || left() >= batch || (wanted_ && left() > 0); });
    if (ending_) return;
    // A reference into a deque stays good while others are put behind it and taken before it.
    for (std::size_t i = 0; i < batch && left() > 0 && !ending_; ++i) {
      Job& job = jobs_[done_];
      lock.unlock();
      pack(job);
      lock.lock();
      ++done_;
    }
    if (wanted_) changed_.notify_all();
  }
}

}  // namespace tapedeck::cassettes
