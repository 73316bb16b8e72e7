#pragma once
// Stores secrets in memory that is never moved and is wiped at the end.

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "base/wipe.h"

namespace tapedeck::base {

class SecretArena {
 public:
  /// Returns a copy of `bytes` whose address is valid as long as the arena.
  [[nodiscard]] std::string_view keep(std::string_view bytes);

 private:
  struct Wipe {
    std::size_t size = 0;
    void operator()(char* memory) const {
      wipe(memory, size);
      delete[] memory;
    }
  };
  std::vector<std::unique_ptr<char[], Wipe>> kept_;
};

}  // namespace tapedeck::base
