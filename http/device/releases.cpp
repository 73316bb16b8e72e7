#include "http/device/releases.h"

#include <utility>

#include "http/device/transfer.h"

namespace tapedeck::http {

void Releases::add(std::weak_ptr<Transfer> transfer) {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  waiting_.push_back(std::move(transfer));
  if (waiting_.size() == 1) loop_.post([self = shared_from_this()] { self->release_all(); });
}

void Releases::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  waiting_.clear();
}

void Releases::release_all() {
  std::vector<std::weak_ptr<Transfer>> committed;
  {
    const std::lock_guard lock(mutex_);
    committed.swap(waiting_);
  }
  for (const auto& one : committed) {
    if (const auto transfer = one.lock()) transfer->release();
  }
}

}  // namespace tapedeck::http
