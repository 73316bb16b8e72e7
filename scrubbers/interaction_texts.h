#pragma once
// The six texts of an interaction in which something is found and replaced.

#include <array>
#include <string>
#include <string_view>

#include "scrubbers/redaction.h"

namespace tapedeck::scrubbers {

struct InteractionRecord;

/// By Part: the target, header texts (Headers::to_text), bodies without their Content-Encoding, the reason phrase.
using Texts = std::array<std::string, 6>;

[[nodiscard]] constexpr std::size_t index_of(Part part) { return static_cast<std::size_t>(part); }
[[nodiscard]] inline std::string_view text_of(const Texts& texts, Part part) { return texts[index_of(part)]; }

/// Gives the texts back to the record that they were taken from. Headers are read again where theirs has changed.
void put_back(Texts&& texts, const std::array<bool, std::tuple_size_v<Texts>>& changed, InteractionRecord& record);

}  // namespace tapedeck::scrubbers
