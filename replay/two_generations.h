#pragma once
// A cache with a bound in bytes and no list to keep in order.

#include <cstddef>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tapedeck::replay {

/// Entries live in a young map; when that is half full it becomes the old one, and the old one goes. A hit in the old
/// map brings the entry back to the young one. An LRU list would cost two pointer updates on every hit; here a hit in
/// the young map writes nothing. Not thread-safe. Pointers are good until the next find() or insert().
template <typename Key, typename Value, typename Hash, typename Equal>
class TwoGenerations {
 public:
  explicit TwoGenerations(std::size_t bytes) : half_(bytes / 2) {}

  template <typename AnyKey>
  [[nodiscard]] Value* find(const AnyKey& key) {
    if (const auto found = young_.find(key); found != young_.end()) return &found->second.value;
    const auto found = old_.find(key);
    if (found == old_.end()) return nullptr;
    auto node = old_.extract(found);
    Key kept = std::move(node.key());
    Entry entry = std::move(node.mapped());
    return put(std::move(kept), std::move(entry));
  }

  /// What is larger than a half of the cache is kept until the next insertion alone.
  Value* insert(Key key, Value value, std::size_t bytes) { return put(std::move(key), {std::move(value), bytes}); }

  [[nodiscard]] std::size_t size() const { return young_.size() + old_.size(); }

 private:
  struct Entry {
    Value value;
    std::size_t bytes = 0;
  };

  Value* put(Key key, Entry entry) {
    if (bytes_ + entry.bytes > half_ && !young_.empty()) {
      old_ = std::exchange(young_, {});
      bytes_ = 0;
    }
    bytes_ += entry.bytes;
    return &young_.insert_or_assign(std::move(key), std::move(entry)).first->second.value;
  }

  std::size_t half_;
  std::size_t bytes_ = 0;
  std::unordered_map<Key, Entry, Hash, Equal> young_, old_;
};

/// For maps with text keys that are looked up by string_view.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

}  // namespace tapedeck::replay
