#pragma once
// Distinguishes responses without their bodies, for comparisons of whole cassettes that are mostly equal.

#include <cstdint>
#include <functional>
#include <string_view>

#include "cassettes/read/cassette_reader.h"

namespace tapedeck::cassettes {

struct AnswerMark {
  std::int64_t interaction = 0;  ///< as in ListedInteraction
  std::int64_t header_set = 0;   ///< for headers_of()
  std::string_view body_sha256;  ///< 32 bytes, or empty for an empty body; valid during the visit
};

/// Visits all interactions in ascending order of their rows. Throws CassetteError.
void each_answer_mark(const CassetteReader& cassette, const std::function<void(const AnswerMark&)>& visit);
[[nodiscard]] http::Headers headers_of(const CassetteReader& cassette, std::int64_t header_set);

}  // namespace tapedeck::cassettes
