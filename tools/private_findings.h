#pragma once
// Finds values in a cassette that look private and are not pseudonyms, which are the values that `scrub --private`
// would replace.

#include <cstdint>
#include <string>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "scrubbers/private/private_profile.h"

namespace tapedeck::tools {

/// Findings of one rule in one part of an interaction, without values.
struct PrivateFinding {
  std::string id;
  std::string key;  ///< the key, with pseudonyms for the values found in it
  scrubbers::Part part = scrubbers::Part::response_body;
  std::string rule;
  std::uint64_t count = 0;
};

/// Returns findings in the order of `ls`. `options` contain the values that stay; their table is not used.
[[nodiscard]] std::vector<PrivateFinding> private_findings(const cassettes::CassetteReader& cassette,
                                                           const scrubbers::PrivateOptions& options);

}  // namespace tapedeck::tools
