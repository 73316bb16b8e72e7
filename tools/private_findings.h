#pragma once
// What in a cassette looks private and is no pseudonym: what `scrub --private` would replace.

#include <cstdint>
#include <string>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "scrubbers/private/private_profile.h"

namespace tapedeck::tools {

/// Of one interaction, one part and one rule; never a value.
struct PrivateFinding {
  std::string id;
  std::string key;  ///< with pseudonyms for what was found in it
  scrubbers::Part part = scrubbers::Part::response_body;
  std::string rule;
  std::uint64_t count = 0;
};

/// In the order of `ls`. `options` say what stays; their table is not used.
[[nodiscard]] std::vector<PrivateFinding> private_findings(const cassettes::CassetteReader& cassette,
                                                           const scrubbers::PrivateOptions& options);

}  // namespace tapedeck::tools
