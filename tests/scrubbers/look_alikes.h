#pragma once
// Thousands of values that look like secrets but are not, and the places where they may occur.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/interaction.h"

namespace tapedeck::scrubbers::test {

/// The values that the scrubber has learned before the look-alikes.
struct Learned {
  std::vector<std::string> searched;  ///< found wherever they occur
  std::vector<std::string> plain;     ///< too short or too plain: replaced only under their names
  std::vector<std::string> whole;     ///< short: replaced as whole values
};

struct LookAlikes {
  std::string kind;
  std::vector<std::string> values;
};

/// Depends only on its arguments: IDs, hashes, times, numbers with a code in them, words with a password in them, other
/// things in base64, names of the catalog, names of secrets as values, and secrets with a changed character.
[[nodiscard]] std::vector<LookAlikes> look_alikes(const Learned& learned);

struct Spot {
  std::string name;
  /// Returns an interaction with each value in this place. Values that may not occur there are left out.
  std::function<api::Interaction(const std::vector<std::string>& values)> make;
};
[[nodiscard]] std::vector<Spot> spots();

}  // namespace tapedeck::scrubbers::test
