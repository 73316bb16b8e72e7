#pragma once
// Removes interactions for `rm` and `prune`, or lists them.

#include <cstdint>
#include <unordered_set>

#include "cassettes/finish/rewrite.h"

namespace tapedeck::cli {

/// Rewrites the cassette without these interactions, whose IDs are results of tools::id_number(). With `only_list`,
/// only lists them. Returns the exit status.
[[nodiscard]] int remove(cassettes::Rewriting& rewriting, const std::unordered_set<std::uint64_t>& gone, bool only_list,
                         bool json);

}  // namespace tapedeck::cli
