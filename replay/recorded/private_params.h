#pragma once
// Which parameters of a recorded request hold pseudonyms (toolkit §5): without their key, nobody knows the originals.

#include <set>
#include <string>
#include <string_view>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::replay {

/// Names of those of the first recording of a key; empty for what is no call.
[[nodiscard]] std::set<std::string, std::less<>> private_params(const cassettes::CassetteReader& reader,
                                                                std::string_view key_text, std::string_view scope);

}  // namespace tapedeck::replay
