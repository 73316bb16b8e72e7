#pragma once
// Erases secrets from memory.

#include <string.h>

#include <string>

namespace tapedeck::base {

/// Overwrites all of the string's memory, including what an earlier text left in it, and empties the string. The
/// compiler cannot optimize this away.
inline void wipe(std::string& text) {
  text.resize(text.capacity());
  explicit_bzero(text.data(), text.size());
  text.clear();
}

}  // namespace tapedeck::base
