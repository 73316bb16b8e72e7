#pragma once
// The big tier of the search: a compiled Hyperscan database of literals. Compiling takes about 15 µs a literal.

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

struct hs_database;
struct hs_scratch;

namespace tapedeck::scrubbers {

/// Immutable; search() may run on any number of threads at once.
class HyperscanSet {
 public:
  /// `literals` are only read here; the number of each is its place in the list. Throws std::runtime_error.
  explicit HyperscanSet(std::span<const std::string_view> literals);
  ~HyperscanSet();
  HyperscanSet(const HyperscanSet&) = delete;
  HyperscanSet& operator=(const HyperscanSet&) = delete;

  [[nodiscard]] std::size_t size() const { return lengths_.size(); }
  /// Calls hit(position, number) for each occurrence. Throws std::runtime_error when Hyperscan fails: the text has then
  /// not been searched.
  void search(std::string_view text, const std::function<void(std::size_t, std::uint32_t)>& hit) const;
  /// Whether one of them occurs: no look behind the first. Throws as search() does.
  [[nodiscard]] bool has_any(std::string_view text) const;

 private:
  using OnMatch = int (*)(unsigned id, unsigned long long from, unsigned long long to, unsigned flags, void* context);
  void scan(std::string_view text, OnMatch on_match, void* context) const;
  [[nodiscard]] hs_scratch* take_scratch() const;

  hs_database* database_ = nullptr;
  std::vector<std::uint32_t> lengths_;
  // One scratch for each search that runs: guarded by scratch_mutex_, else two threads would share one.
  mutable std::mutex scratch_mutex_;
  mutable std::vector<hs_scratch*> free_scratch_;
};

}  // namespace tapedeck::scrubbers
