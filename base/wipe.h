#pragma once
// Texts that were secret, once they are no longer needed.

#include <string.h>

#include <string>

namespace tapedeck::base {

/// Overwrites all of the string's memory, what an earlier text left in it too, and empties it. The compiler cannot
/// leave it out.
inline void wipe(std::string& text) {
  text.resize(text.capacity());
  explicit_bzero(text.data(), text.size());
  text.clear();
}

}  // namespace tapedeck::base
