#include "base/secret_arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace tapedeck::base {

SecretArena::~SecretArena() { release(); }

SecretArena::SecretArena(SecretArena&& other) noexcept
    : blocks_(std::exchange(other.blocks_, {})), used_(std::exchange(other.used_, 0)) {}

SecretArena& SecretArena::operator=(SecretArena&& other) noexcept {
  if (this != &other) {
    release();
    blocks_ = std::exchange(other.blocks_, {});
    used_ = std::exchange(other.used_, 0);
  }
  return *this;
}

void SecretArena::release() noexcept {
  for (const Block& block : blocks_) {
    explicit_bzero(block.memory, block.size);
    munmap(block.memory, block.size);
  }
  blocks_.clear();
}

std::string_view SecretArena::keep(std::string_view bytes) {
  if (bytes.empty()) return {};
  constexpr std::size_t block_size = 64 * 1024;
  if (blocks_.empty() || blocks_.back().size - used_ < bytes.size()) {
    const std::size_t size = (std::max(block_size, bytes.size()) + 4095) / 4096 * 4096;
    blocks_.reserve(blocks_.size() + 1);
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    // Best effort: the limit on locked memory is small on many systems.
    static_cast<void>(mlock(memory, size));
    static_cast<void>(madvise(memory, size, MADV_DONTDUMP));
    blocks_.push_back({static_cast<char*>(memory), size});
    used_ = 0;
  }
  char* const place = blocks_.back().memory + used_;
  std::memcpy(place, bytes.data(), bytes.size());
  used_ += bytes.size();
  return {place, bytes.size()};
}

}  // namespace tapedeck::base
