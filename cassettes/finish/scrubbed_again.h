#pragma once
// What scrubbing a stored interaction again did to it, for people to read: never a value.

#include <cstdint>
#include <string>
#include <vector>

#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// Redactions of one part by one rule that were not there before.
struct Added {
  scrubbers::Part part = scrubbers::Part::response_body;
  std::string rule;
  std::uint64_t count = 0;
  bool operator==(const Added&) const = default;
};

struct ScrubbedAgain {
  std::string id;            ///< 16 hex digits, as `ls` shows it in the new file
  std::string key;           ///< scrubbed
  std::string withheld;      ///< the reason, when it is withheld from now on
  std::vector<Added> added;  ///< by part, then rule
};

/// So many are named; the rest is counted.
inline constexpr std::size_t most_scrubbed_again = 100;

/// Redactions are counted by part and rule: their offsets move when something before them is replaced.
[[nodiscard]] std::vector<Added> added_redactions(const std::vector<scrubbers::Redaction>& before,
                                                  const std::vector<scrubbers::Redaction>& after);

}  // namespace tapedeck::cassettes
