#pragma once
// Finds many literal values in one pass: a table, indexed by a hash of three bytes, contains the values that begin with
// them. It deliberately differs from the scrubber's index, so that both do not have the same faults.

#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "base/wipe.h"

namespace tapedeck::scan {

class Matcher {
 public:
  struct Pattern {
    std::string_view text;  ///< at least 3 bytes; must outlive the matcher
    std::size_t id;         ///< passed to `hit`
  };

  explicit Matcher(std::vector<Pattern> patterns) : patterns_(std::move(patterns)), next_(patterns_.size(), none) {
    if (patterns_.empty()) return;
    first_.assign(std::size_t{1} << table_bits, none);
    for (std::uint32_t i = 0; i < patterns_.size(); ++i) {
      next_[i] = std::exchange(first_[slot_of(patterns_[i].text.data())], i);
    }
  }
  /// The table reveals which bytes occur in the values.
  ~Matcher() {
    if (!first_.empty()) base::wipe(first_.data(), first_.size() * sizeof(first_[0]));
  }
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;

  /// Calls `hit(id, position)` for every occurrence of every pattern.
  template <class Hit>
  void find(std::string_view bytes, Hit&& hit) const {
    if (patterns_.empty()) return;
    for (std::size_t at = 0; at + shortest <= bytes.size(); ++at) {
      for (std::uint32_t i = first_[slot_of(bytes.data() + at)]; i != none; i = next_[i]) {
        if (bytes.substr(at).starts_with(patterns_[i].text)) hit(patterns_[i].id, at);
      }
    }
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  static constexpr std::size_t shortest = 3;
  static constexpr unsigned table_bits = 15;
  [[nodiscard]] static std::uint32_t slot_of(const char* p) {
    const auto byte = [](char c) { return static_cast<std::uint32_t>(static_cast<unsigned char>(c)); };
    return ((byte(p[0]) | byte(p[1]) << 8 | byte(p[2]) << 16) * 0x9e3779b1u) >> (32 - table_bits);
  }

  std::vector<Pattern> patterns_;
  std::vector<std::uint32_t> first_;  ///< by slot: a pattern that begins like this; `next_` has the others
  std::vector<std::uint32_t> next_;
};

}  // namespace tapedeck::scan
