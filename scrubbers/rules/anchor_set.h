#pragma once
// The texts without which patterns cannot match, looked for all at once.

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "scrubbers/search/hyperscan_set.h"

namespace tapedeck::scrubbers {

/// Hyperscan looks for up to 32 literals at half the cost of more of them. So each text is in it once, and those that
/// begin with a `$`, which few bodies have, are a set of their own. A body that opens nothing (opening_marks.h) is looked
/// through for those alone that have no such byte: of 31 texts nine fewer, and 5 µs less of 64 KiB.
class AnchorSet {
 public:
  struct Use {
    std::size_t pattern = 0;
    std::size_t before = 0;  ///< how far ahead of the text a match can begin
  };
  static constexpr std::size_t most_at_once = 32;

  /// `text` must outlive the set. Several may use one text.
  void add(std::string_view text, Use use);
  /// Once, when all are added. Throws std::runtime_error.
  void compile();
  /// Calls hit(use, at) where a text stands. `opens`: what may_open_something(text) says, or true. Throws
  /// std::runtime_error.
  void search(std::string_view text, bool opens, const std::function<void(const Use&, std::size_t at)>& hit) const;
  [[nodiscard]] std::size_t usual_texts() const { return usual_.texts.size(); }  ///< without those with a `$`

 private:
  struct Literals {
    void add(std::string_view text, Use use);
    std::vector<std::string_view> texts;
    std::vector<std::vector<Use>> uses;  ///< by text
    std::unique_ptr<HyperscanSet> set;   ///< null without texts
  };
  Literals plain_, usual_, dollar_;  ///< usual: the plain ones, too
};

}  // namespace tapedeck::scrubbers
