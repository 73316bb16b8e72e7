#pragma once
// Replaces finds in a text with placeholders. Decides which finds win if they overlap, and creates the redactions.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/redaction/redaction.h"

namespace tapedeck::scrubbers {

/// A find of a secret in a text.
struct Spot {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint32_t value = 0;  ///< LearnedSecrets::Id
  Encoding encoding;
  std::string rule;
  bool named = false;     ///< found by a rule for a name, not by the search
  bool fragment = false;  ///< the rest of a find beside a longer one: replaced, but not a whole value
};

/// Returns the spots without overlaps, by offset. The longest one wins, then the leftmost, then a named one, then the
/// one with the more exact or simpler encoding. The uncovered rest of a losing spot is kept as fragments, so that no
/// piece of a secret remains. Spots are cut where they overlap `fixed`, which is sorted and has no overlaps.
[[nodiscard]] std::vector<Spot> without_overlaps(std::vector<Spot> spots, const std::vector<Redaction>& fixed);

struct Replaced {
  std::string text;
  std::vector<Redaction> rows;
  struct Moved {
    std::size_t begin, end;  ///< the spot in the old text
    std::size_t new_end;
  };
  std::vector<Moved> moved;  ///< in order

  /// Returns the new position for a position in the old text. A position inside of a spot becomes the end of its
  /// placeholder.
  [[nodiscard]] std::size_t place_of(std::size_t old_place) const;
};
/// Returns the replacement for a spot. `stood_there` is the replaced text.
using Word = std::function<std::string(const Spot&, std::string_view stood_there)>;
/// Replaces the spots. `fixed` are existing redactions, which keep their text and get new offsets. `describe` returns
/// class, owner, ordinal, and shape of a spot's value. Without `word`, inserts the placeholder of the class.
[[nodiscard]] Replaced replace(std::string_view text, Part part, const std::vector<Spot>& spots,
                               const std::vector<Redaction>& fixed,
                               const std::function<Redaction(const Spot&)>& describe, const Word& word = {});
/// Does the same in a text that has no redactions and gets none.
[[nodiscard]] Replaced replace(std::string_view text, std::vector<Spot> spots, const Word& word);

}  // namespace tapedeck::scrubbers
