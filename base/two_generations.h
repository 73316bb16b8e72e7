#pragma once
// A cache with a limit in bytes that needs no ordered list.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

namespace tapedeck::base {

/// Recognizes recent hashes. Stores the last eight of each set, with 16 bits of each hash. With a single place for each
/// hash, hashes in the same place would evict each other: in a series of 300, ten would never be recognized.
class SeenBefore {
 public:
  /// Returns true if it was called with this hash before. Fewer than one in a thousand new hashes are mistaken for
  /// known ones, and old hashes are forgotten.
  bool operator()(std::size_t hash) {
    const std::uint64_t mixed = hash * 0x9e3779b97f4a7c15ULL;
    auto& set = sets_[mixed >> (64 - bits)];
    const auto wanted = static_cast<std::uint16_t>(mixed >> (64 - bits - 16) | 1);  // 0 marks an empty place
    const auto place = std::find(set.begin(), set.end() - 1, wanted);
    const bool is_known = *place == wanted;
    std::copy_backward(set.begin(), place, place + 1);
    set.front() = wanted;
    return is_known;
  }

 private:
  static constexpr int bits = 10;
  std::array<std::array<std::uint16_t, 8>, 1 << bits> sets_{};
};

/// Entries are young or old. When the young ones fill half of the cache, they become the old ones, and the old ones are
/// dropped; a hit makes an old entry young again. An LRU list would cost two pointer updates per hit; here, a hit on a
/// young entry writes nothing. A key that is requested once must not evict one that is requested repeatedly, so an
/// entry gets its place when it is inserted for the second time. Until then, or if it is larger than half of the cache,
/// it is a guest and stays until the next insertion. Not thread-safe. Pointers are valid until the next find() or
/// insert().
template <typename Key, typename Value, typename Hash, typename Equal>
class TwoGenerations {
 public:
  explicit TwoGenerations(std::size_t bytes) : half_(bytes / 2) {
    // Most buckets stay empty: looking up a missing key costs a memory access for each entry in its bucket.
    entries_.max_load_factor(0.25F);
  }

  template <typename AnyKey>
  [[nodiscard]] Value* find(const AnyKey& key) {
    if (guest_ && Equal()(guest_->first, key)) return &guest_->second;
    const auto found = entries_.find(key);
    if (found == entries_.end()) return nullptr;
    if (found->second.generation != now_) make_young(found->second);
    return &found->second.value;
  }

  /// Notes a request for the key. Returns true if the key was noted or inserted before, so that insert() would keep the
  /// entry. Callers that do not want to insert guests use it.
  template <typename AnyKey>
  [[nodiscard]] bool is_asked_again(const AnyKey& key) {
    return seen_(Hash()(key));
  }

  Value* insert(Key key, Value value, std::size_t bytes) {
    guest_.reset();
    if (bytes > half_ || !seen_(Hash()(key))) return &guest_.emplace(std::move(key), std::move(value)).second;
    Entry& entry = entries_[std::move(key)];
    if (entry.generation == now_) young_bytes_ -= entry.bytes;
    entry.value = std::move(value);
    entry.bytes = bytes;
    make_young(entry);
    return &entry.value;
  }

  void clear() {
    guest_.reset();
    entries_.clear();
    young_bytes_ = 0;
  }

  /// Returns the number of entries, not counting the guest.
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    Value value;
    std::size_t bytes = 0;
    std::uint64_t generation = 0;
  };

  void make_young(Entry& entry) {
    entry.generation = now_;
    if (young_bytes_ + entry.bytes > half_ && young_bytes_ > 0) {
      std::erase_if(entries_, [this](const auto& other) { return other.second.generation != now_; });
      young_bytes_ = 0;
      entry.generation = ++now_;
    }
    young_bytes_ += entry.bytes;
  }

  std::size_t half_;
  std::size_t young_bytes_ = 0;
  std::uint64_t now_ = 1;
  SeenBefore seen_;
  std::optional<std::pair<Key, Value>> guest_;
  std::unordered_map<Key, Entry, Hash, Equal> entries_;
};

}  // namespace tapedeck::base
