#pragma once
// Replaces pseudonyms in a response with the originals that a client sent.

#include <span>
#include <string>
#include <string_view>

#include "scrubbers/private/pseudonyms.h"

namespace tapedeck::scrubbers {

/// Returns `stored`, the text of a redaction of class private_data in this encoding chain, with originals. `brought`
/// are sorted indexes of pseudonyms.entries(). Reads paths, mail addresses, and hosts piece by piece.
[[nodiscard]] std::string written_back(std::string_view stored, std::string_view encoding, const Pseudonyms& pseudonyms,
                                       std::span<const std::size_t> brought);

}  // namespace tapedeck::scrubbers
