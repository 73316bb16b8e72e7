#include "base/large_block.h"

#include <sys/mman.h>

#include <cstdint>

namespace tapedeck::base {

void use_huge_pages(const void* block, std::size_t size) {
  constexpr std::size_t large = 4u << 20;
  constexpr std::uintptr_t page = 4096;
  if (!block || size < large) return;
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(block);
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t last = (begin + size) / page * page;
  madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

void reserve(std::string& text, std::size_t size) {
  if (size <= text.capacity()) return;
  text.reserve(size);
  use_huge_pages(text.data(), text.capacity());
}

}  // namespace tapedeck::base
