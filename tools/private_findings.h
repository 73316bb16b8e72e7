#pragma once
// Finds what looks private in a cassette and is not a pseudonym: what `scrub --private` would replace.

#include <cstdint>
#include <string>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "scrubbers/private/private_profile.h"

namespace tapedeck::tools {

/// Findings of one rule in one part of an interaction, without values.
struct PrivateFinding {
  std::string id;
  std::string key;  ///< with pseudonyms for what was found in it
  scrubbers::Part part = scrubbers::Part::response_body;
  std::string rule;
  std::uint64_t count = 0;
};

/// Returns findings in the order of `ls`. `options` say what stays; their table is not used.
[[nodiscard]] std::vector<PrivateFinding> private_findings(const cassettes::CassetteReader& cassette,
                                                           const scrubbers::PrivateOptions& options);

}  // namespace tapedeck::tools
