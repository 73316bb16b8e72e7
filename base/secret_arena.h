#pragma once
// Memory for secrets: neither swapped nor dumped where the system allows it, never moved, wiped when the arena goes.

#include <cstddef>
#include <string_view>
#include <vector>

namespace tapedeck::base {

class SecretArena {
 public:
  SecretArena() = default;
  ~SecretArena();
  SecretArena(SecretArena&& other) noexcept;
  SecretArena& operator=(SecretArena&& other) noexcept;

  /// A copy of `bytes` that stays where it is as long as the arena lives. Throws std::bad_alloc.
  [[nodiscard]] std::string_view keep(std::string_view bytes);

 private:
  struct Block {
    char* memory = nullptr;
    std::size_t size = 0;
  };
  void release() noexcept;

  std::vector<Block> blocks_;
  std::size_t used_ = 0;  ///< of the last block
};

}  // namespace tapedeck::base
