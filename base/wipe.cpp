#include "base/wipe.h"

#include <cstring>

namespace tapedeck::base {

void wipe(void* memory, std::size_t size) {
  // A call through a volatile pointer must happen. Not every system has explicit_bzero().
  static void* (*volatile const fill)(void*, int, std::size_t) = std::memset;
  if (size > 0) fill(memory, 0, size);
}

}  // namespace tapedeck::base
