#include "cassettes/file/first_bytes.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

namespace tapedeck::cassettes {

FirstBytes::FirstBytes(const base::Descriptor& file, std::size_t most)
    : room_(static_cast<std::size_t>(std::min<std::uint64_t>(most, file.size()))) {
  if (room_ == 0) return;
  void* const memory =
      mmap(nullptr, room_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(memory);
  size_ = base::read_at(file.number(), 0, std::span(memory_, room_));
}

FirstBytes::~FirstBytes() {
  if (memory_ != nullptr) munmap(memory_, room_);
}

FirstBytes::FirstBytes(FirstBytes&& other) noexcept
    : memory_(std::exchange(other.memory_, nullptr)), room_(other.room_), size_(std::exchange(other.size_, 0)) {}

}  // namespace tapedeck::cassettes
