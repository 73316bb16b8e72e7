#pragma once
// Stores the keys of JSON texts as hashes.

#include <cstdint>
#include <cstring>
#include <string_view>
#include <unordered_set>

namespace tapedeck::scrubbers {

/// The hashes of all keys with 8 bytes or more. A secret that is also a key is too common to be searched for
/// everywhere.
class KeyLog {
 public:
  static constexpr std::size_t shortest = 8, most = 1u << 16;

  void note(std::string_view key) {
    if (key.size() >= shortest && hashes_.size() < most) hashes_.insert(hash(key));
  }
  [[nodiscard]] const std::unordered_set<std::uint64_t>& hashes() const { return hashes_; }
  /// Returns a hash of the length and of the first and last 8 bytes.
  [[nodiscard]] static std::uint64_t hash(std::string_view key) {
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
    if (key.size() >= shortest) {
      std::memcpy(&head, key.data(), sizeof head);
      std::memcpy(&tail, key.data() + key.size() - sizeof tail, sizeof tail);
    }
    const std::uint64_t mixed = (head ^ (tail * 0x9E3779B97F4A7C15u) ^ key.size()) * 0xD6E8FEB86659FD93u;
    return mixed ^ (mixed >> 32);
  }

 private:
  std::unordered_set<std::uint64_t> hashes_;
};

}  // namespace tapedeck::scrubbers
