#pragma once
// The leak scan over a file that is about to become a cassette.

#include <cstdint>
#include <string>
#include <vector>

#include "cassettes/survey.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::cassettes {

struct LeakCheck {
  std::uint64_t learned = 0;          ///< learned values found
  std::uint64_t heuristic = 0;        ///< what only looks like a secret
  std::vector<std::string> findings;  ///< one line each, without the value
};

/// Searches every page and row of the file, and every body as plain text: the scan takes no dictionary for a zstd
/// frame. `scrubber` may be null: then only heuristics are left. Throws CassetteError when the search cannot be
/// finished.
[[nodiscard]] LeakCheck check_for_leaks(const std::string& path, const scrubbers::Scrubber* scrubber,
                                        const Progress& progress);

}  // namespace tapedeck::cassettes
