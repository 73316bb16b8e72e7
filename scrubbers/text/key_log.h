#pragma once
// The keys of a JSON text, as hashes.

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace tapedeck::scrubbers {

/// Remembers hashes of the keys of 8 bytes or more that it met, each about once: a value that is also a key is too
/// plain to be searched for everywhere.
class KeyLog {
 public:
  /// In the header because the scanner says every key, and nearly all are known.
  void note(std::string_view key) {
    const std::uint64_t value = hash(key);
    if (!recent_.empty() && recent_[value & (recent_.size() - 1)] == value) return;
    remember(value);
  }
  [[nodiscard]] const std::vector<std::uint64_t>& hashes() const { return hashes_; }
  /// Of its first and last 8 bytes and its length.
  [[nodiscard]] static std::uint64_t hash(std::string_view key) {
    std::uint64_t head = 0;
    std::uint64_t tail = 0;
    if (key.size() >= 8) {
      std::memcpy(&head, key.data(), 8);
      std::memcpy(&tail, key.data() + key.size() - 8, 8);
    }
    const std::uint64_t mixed = (head ^ (tail * 0x9E3779B97F4A7C15u) ^ key.size()) * 0xD6E8FEB86659FD93u;
    return mixed ^ (mixed >> 32);
  }

 private:
  void remember(std::uint64_t value);

  static constexpr std::size_t most = 1u << 16;
  static constexpr std::size_t first_slots = 64, most_slots = 1024;
  std::vector<std::uint64_t> recent_;  ///< grows with what was met: most interactions have few keys, or none
  std::vector<std::uint64_t> hashes_;
};

}  // namespace tapedeck::scrubbers
