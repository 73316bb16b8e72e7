#pragma once
// Pseudonyms in an answer exchanged for the originals that a client brought.

#include <span>
#include <string>
#include <string_view>

#include "scrubbers/private/pseudonyms.h"

namespace tapedeck::scrubbers {

/// `stored` is what stands in a row of class private, in that encoding chain; `brought`, sorted, are places in
/// pseudonyms.entries(). Paths, mail addresses and hosts are read piece by piece.
[[nodiscard]] std::string written_back(std::string_view stored, std::string_view encoding, const Pseudonyms& pseudonyms,
                                       std::span<const std::size_t> brought);

}  // namespace tapedeck::scrubbers
