#include "scan/learned_values.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace tapedeck::scan {

namespace {
constexpr std::size_t block_size = 64 * 1024;
}

LockedArena::~LockedArena() { release(); }

LockedArena::LockedArena(LockedArena&& other) noexcept : blocks_(std::exchange(other.blocks_, {})) {}

LockedArena& LockedArena::operator=(LockedArena&& other) noexcept {
  if (this != &other) {
    release();
    blocks_ = std::exchange(other.blocks_, {});
  }
  return *this;
}

void LockedArena::release() noexcept {
  for (const Block& block : blocks_) {
    explicit_bzero(block.data, block.size);
    munmap(block.data, block.size);
  }
  blocks_.clear();
}

std::string_view LockedArena::keep(std::string_view bytes) {
  if (blocks_.empty() || blocks_.back().size - blocks_.back().used < bytes.size()) {
    const std::size_t size = (std::max(bytes.size(), std::size_t{1}) + block_size - 1) / block_size * block_size;
    blocks_.reserve(blocks_.size() + 1);
    void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    // Best effort: RLIMIT_MEMLOCK may forbid it, and a scan without it is better than none.
    static_cast<void>(mlock(memory, size));
    madvise(memory, size, MADV_DONTDUMP);
    blocks_.push_back({static_cast<char*>(memory), size, 0});
  }
  Block& block = blocks_.back();
  char* at = block.data + block.used;
  if (!bytes.empty()) std::memcpy(at, bytes.data(), bytes.size());
  block.used += bytes.size();
  return {at, bytes.size()};
}

void LearnedValues::add(std::string_view value) { add(value, Search::anywhere); }

void LearnedValues::add(std::string_view value, Search search) {
  if (value.empty() || known_.contains(value)) return;
  if (value.size() < min_anywhere) search = Search::named;
  const std::string_view kept = arena_.keep(value);
  known_.insert(kept);
  entries_.push_back({kept, search});
}

}  // namespace tapedeck::scan
