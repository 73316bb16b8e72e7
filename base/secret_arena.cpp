#include "base/secret_arena.h"

#include <algorithm>

namespace tapedeck::base {

std::string_view SecretArena::keep(std::string_view bytes) {
  if (bytes.empty()) return {};
  std::unique_ptr<char[], Wipe> memory(new char[bytes.size()], Wipe{bytes.size()});
  std::copy(bytes.begin(), bytes.end(), memory.get());
  return {kept_.emplace_back(std::move(memory)).get(), bytes.size()};
}

}  // namespace tapedeck::base
