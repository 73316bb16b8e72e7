#pragma once
// Puts placeholders into a text: which finds win where they overlap, and the rows that come out of it.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/redaction.h"

namespace tapedeck::scrubbers {

/// One find in one text.
struct Spot {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint32_t value = 0;  ///< LearnedSecrets::Id
  std::string encoding;
  std::string rule;
  bool named = false;     ///< by a rule, not by the search
  bool fragment = false;  ///< what is left of a find beside a longer one: replaced, but no whole value of anybody
};

/// Spots without overlaps, by offset. The longest wins, then the leftmost, then the one that a rule named, then the one
/// whose encoding is exact and simpler; what a loser covers beside the winners is kept as fragments, so that no piece
/// of a secret stays. Spots never reach into `fixed` (sorted, without overlaps): they are cut there.
[[nodiscard]] std::vector<Spot> without_overlaps(std::vector<Spot> spots, const std::vector<Redaction>& fixed);

struct Replaced {
  std::string text;
  std::vector<Redaction> rows;
  struct Moved {
    std::size_t begin, end;  ///< of a spot, in the old text
    std::size_t new_end;
  };
  std::vector<Moved> moved;  ///< in order

  /// Where a place of the old text is now; one inside of a spot goes to its end.
  [[nodiscard]] std::size_t place_of(std::size_t old_place) const;
};
/// What stands in a spot's place afterwards; `stood_there` stands there now.
using Word = std::function<std::string(const Spot&, std::string_view stood_there)>;
/// `fixed` are the rows that the text has already; they keep their text and get their new offsets. `describe` gives
/// class, owner, ordinal and shape of a spot's value. Without `word` it is the class's placeholder.
[[nodiscard]] Replaced replace(std::string_view text, Part part, const std::vector<Spot>& spots,
                               const std::vector<Redaction>& fixed,
                               const std::function<Redaction(const Spot&)>& describe, const Word& word = {});

}  // namespace tapedeck::scrubbers
