#pragma once
// Builds the response to a compound request from those to its parts (docs/device-notes.md, "Parameters").

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"

namespace tapedeck::replay {

/// The maximum number of parts. Requests with more are refused, because no client sends them.
inline constexpr std::size_t most_compound_parts = 256;
/// The limit for all parts together. Without it, a request could include a long recorded response 256 times.
inline constexpr std::size_t longest_compound_answer = 32u << 20;

/// The response to one part as it appears in the whole: {"api":…,"data":…,"method":…,"success":true,"version":1}.
struct CompoundPart {
  std::string text;
  bool success = false;
};
/// Converts the response that the call would get alone. A body that is not an envelope becomes error 100, as on
/// devices.
[[nodiscard]] CompoundPart compound_part(const api::Call& call, std::string_view body);
/// Returns the response to the whole request.
[[nodiscard]] std::string compound_answer(const std::vector<CompoundPart>& parts);
/// Returns true if the compound requests that its parts are handled one after another.
[[nodiscard]] bool is_sequential(const api::Call& compound);

}  // namespace tapedeck::replay
