#pragma once
// Finds many literal values in one pass, with the method of Wu and Manber. A table, indexed by a hash of three bytes,
// contains the distance that the search may jump. Values are compared only where the distance is 0. With ten values of
// 16 bytes, it reads about every tenth byte. It deliberately differs from the scrubber's index, so that both do not
// have the same faults.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace tapedeck::scan {

class Matcher {
 public:
  struct Pattern {
    std::string_view text;  ///< at least 3 bytes; faster with 8 or more; must outlive the matcher
    std::size_t id;         ///< passed to `hit`
  };

  explicit Matcher(std::span<const Pattern> patterns);
  ~Matcher();
  Matcher(const Matcher&) = delete;
  Matcher& operator=(const Matcher&) = delete;

  /// Calls `hit(id, position)` for every occurrence of every pattern.
  template <class Hit>
  void find(std::string_view bytes, Hit&& hit) const {
    if (patterns_.empty() || bytes.size() < window_) return;
    const auto* data = bytes.data();
    std::size_t at = window_ - 3;
    const std::size_t end = bytes.size() - 2;
    while (at < end) {
      const std::uint32_t slot = slot_of(data + at);
      const std::size_t shift = shifts_[slot];
      if (shift != 0) {
        at += shift;
        continue;
      }
      const std::size_t start = at + 3 - window_;
      for (std::uint32_t i = first_[slot]; i != none; i = next_[i])
        if (bytes.substr(start).starts_with(patterns_[i].text)) hit(patterns_[i].id, start);
      ++at;
    }
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  [[nodiscard]] std::uint32_t slot_of(const char* p) const {
    const auto byte = [](char c) { return static_cast<std::uint32_t>(static_cast<unsigned char>(c)); };
    return ((byte(p[0]) | byte(p[1]) << 8 | byte(p[2]) << 16) * 0x9e3779b1u) >> table_shift_;
  }

  std::vector<Pattern> patterns_;
  std::size_t window_ = 0;  ///< the length of the shortest pattern, up to a limit
  unsigned table_shift_ = 17;
  std::vector<std::uint8_t> shifts_;
  std::vector<std::uint32_t> first_;  ///< by slot: the first pattern whose window ends there; `next_` has the others
  std::vector<std::uint32_t> next_;
};

}  // namespace tapedeck::scan
