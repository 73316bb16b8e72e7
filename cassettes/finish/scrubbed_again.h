#pragma once
// Describes the changes when a stored interaction is scrubbed again, without values.

#include <cstdint>
#include <string>
#include <vector>

#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// The new redactions of one part by one rule.
struct Added {
  scrubbers::Part part = scrubbers::Part::response_body;
  std::string rule;
  std::uint64_t count = 0;
  bool operator==(const Added&) const = default;
};

struct ScrubbedAgain {
  std::string id;            ///< 16 hex digits, as in `ls` of the new file
  std::string key;           ///< scrubbed
  std::string withheld;      ///< the reason if it is withheld now
  std::vector<Added> added;  ///< sorted by part and rule
};

/// The maximum number of listed interactions. Further ones are counted.
inline constexpr std::size_t most_scrubbed_again = 100;

/// Counts new redactions by part and rule, because their offsets move when something before them is replaced.
[[nodiscard]] std::vector<Added> added_redactions(const std::vector<scrubbers::Redaction>& before,
                                                  const std::vector<scrubbers::Redaction>& after);

}  // namespace tapedeck::cassettes
