#pragma once
// What `rm` and `prune` do with what is to go.

#include <cstdint>
#include <unordered_set>

#include "cassettes/finish/rewrite.h"

namespace tapedeck::cli {

/// Rewrites the cassette without these interactions (as tools::id_number() has their ids), or only lists them. Returns
/// the exit status.
[[nodiscard]] int remove(cassettes::Rewriting& rewriting, const std::unordered_set<std::uint64_t>& gone, bool only_list,
                         bool json);

}  // namespace tapedeck::cli
