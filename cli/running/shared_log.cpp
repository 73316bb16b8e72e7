#include "cli/running/shared_log.h"

#include <string.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>

namespace tapedeck::cli {
namespace {

constexpr std::size_t block = 64u << 10;
constexpr std::size_t first = 64;  // behind the count of bytes, on a line of the cache of its own
using Length = std::uint32_t;

}  // namespace

SharedLog::SharedLog() {
  void* const memory = mmap(nullptr, most, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error(std::string("no memory to share: ") + std::strerror(errno));
  static_cast<void>(madvise(memory, most, MADV_DONTDUMP));
  memory_ = static_cast<char*>(memory);
  new (memory_) std::atomic<std::uint64_t>(first);
}

SharedLog::~SharedLog() { munmap(memory_, most); }

std::atomic<std::uint64_t>& SharedLog::used() const {
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  return *std::launder(reinterpret_cast<std::atomic<std::uint64_t>*>(memory_));
}

/// Best effort, as for all secrets (base::SecretArena). True when there was anything to lock.
bool SharedLog::lock_up_to(std::size_t end) {
  if (end <= locked_) return false;
  const std::size_t wanted = std::min((end + block - 1) / block * block, most);
  static_cast<void>(mlock(memory_ + locked_, wanted - locked_));
  locked_ = wanted;
  return true;
}

void SharedLog::lock_used() {
  const std::lock_guard lock(mutex_);
  static_cast<void>(lock_up_to(used().load(std::memory_order_acquire)));
}

SharedLog::Added SharedLog::add(std::string_view text) {
  const std::lock_guard lock(mutex_);
  const std::size_t begin = used().load(std::memory_order_relaxed);
  if (text.size() > most - begin || most - begin - text.size() < sizeof(Length)) return Added::nowhere;
  const std::size_t end = begin + sizeof(Length) + text.size();
  const bool is_in_block = lock_up_to(end);
  const auto length = static_cast<Length>(text.size());
  std::memcpy(memory_ + begin, &length, sizeof length);
  std::memcpy(memory_ + begin + sizeof length, text.data(), text.size());
  used().store(end, std::memory_order_release);
  return is_in_block ? Added::in_block : Added::here;
}

void SharedLog::each(const std::function<void(std::string_view text)>& visit) const {
  const std::size_t end = used().load(std::memory_order_acquire);
  for (std::size_t at = first; at < end;) {
    Length length = 0;
    std::memcpy(&length, memory_ + at, sizeof length);
    visit({memory_ + at + sizeof length, length});
    at += sizeof length + length;
  }
}

void SharedLog::wipe() {
  const std::lock_guard lock(mutex_);
  explicit_bzero(memory_ + first, used().exchange(first) - first);
}

}  // namespace tapedeck::cli
