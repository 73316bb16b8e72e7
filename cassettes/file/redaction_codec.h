#pragma once
// Redactions as the packed column of `recorded` (docs/cassette-format.md, "While recording").

#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

[[nodiscard]] std::string pack(const std::vector<scrubbers::Redaction>& redactions);
/// Throws Damage.
[[nodiscard]] std::vector<scrubbers::Redaction> unpack(std::string_view bytes);

/// The length of each part's text, in the order of scrubbers::Part.
struct PartSizes {
  std::uint64_t of[6] = {};
};
[[nodiscard]] PartSizes part_sizes(const scrubbers::InteractionRecord& record);
/// Throws Damage unless the rows are sorted, apart, and inside their texts.
void check_redactions(const std::vector<scrubbers::Redaction>& redactions, const PartSizes& sizes);

}  // namespace tapedeck::cassettes
