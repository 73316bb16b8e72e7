#pragma once
// Texts that were secret, once they are no longer needed.

#include <string.h>

#include <string>
#include <string_view>

namespace tapedeck::base {

/// Overwrites what the string holds and empties it. The compiler cannot leave it out.
inline void wipe(std::string& text) {
  explicit_bzero(text.data(), text.size());
  text.clear();
}

}  // namespace tapedeck::base
