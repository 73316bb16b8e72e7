#pragma once
// Finds the texts (anchors) without which a pattern cannot match.

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace tapedeck::scrubbers {

class AnchorSet {
 public:
  struct Use {
    std::size_t pattern = 0;
    std::size_t before = 0;  ///< the maximum distance of the start of a match before the text
  };

  /// `text` has two bytes or more and must outlive the set. Several patterns may use one text.
  void add(std::string_view text, Use use);
  /// Calls hit(use, at) for each text that is found, in ascending order of positions.
  void search(std::string_view text, const std::function<void(const Use&, std::size_t at)>& hit) const;

 private:
  struct Anchor {
    std::string_view text;
    Use use;
  };
  static std::size_t pair_of(std::string_view text, std::size_t at) {
    return std::size_t{static_cast<std::uint8_t>(text[at])} << 8 | static_cast<std::uint8_t>(text[at + 1]);
  }
  std::bitset<65536> pairs_;     ///< the first two bytes of the texts, which are rare in bodies
  std::vector<Anchor> anchors_;  ///< sorted by text
};

}  // namespace tapedeck::scrubbers
