#pragma once
// Erases secrets from memory.

#include <cstddef>
#include <string>

namespace tapedeck::base {

/// Overwrites memory with zeros. The compiler cannot optimize this away.
void wipe(void* memory, std::size_t size);

/// Overwrites all of the string's memory, including what an earlier text left in it, and empties the string.
inline void wipe(std::string& text) {
  text.resize(text.capacity());
  wipe(text.data(), text.size());
  text.clear();
}

}  // namespace tapedeck::base
