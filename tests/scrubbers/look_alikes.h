#pragma once
// Thousands of values that look like secrets and are none, and the places where they may stand.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/interaction.h"

namespace tapedeck::scrubbers::test {

/// What the scrubber has learned when the look-alikes pass.
struct Learned {
  std::vector<std::string> searched;  ///< found wherever they stand
  std::vector<std::string> plain;     ///< too short or too plain: replaced under their names alone
  std::vector<std::string> whole;     ///< short: replaced as whole values
};

struct LookAlikes {
  std::string kind;
  std::vector<std::string> values;
};

/// A pure function of its arguments: ids, hashes, times, numbers with a code in them, words with a password in them,
/// other things in base64, names of the catalog, names of secrets as values, and secrets with a character changed.
[[nodiscard]] std::vector<LookAlikes> look_alikes(const Learned& learned);

struct Spot {
  std::string name;
  /// An interaction with each value in that place. Values that may not stand there are left out.
  std::function<api::Interaction(const std::vector<std::string>& values)> make;
};
[[nodiscard]] std::vector<Spot> spots();

}  // namespace tapedeck::scrubbers::test
