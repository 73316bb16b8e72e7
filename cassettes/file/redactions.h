#pragma once
// Checks and reads the redactions of a stored interaction.

#include <cstdint>
#include <vector>

#include "cassettes/file/connection.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// The length of each part's text, in the order of scrubbers::Part.
struct PartSizes {
  std::uint64_t of[6] = {};
};
[[nodiscard]] PartSizes part_sizes(const scrubbers::InteractionRecord& record);
/// Throws Damage unless the redactions are sorted, do not overlap, and are inside their texts.
void check_redactions(const std::vector<scrubbers::Redaction>& redactions, const PartSizes& sizes);

/// Binds the columns part, offset, length, class, whose, owner, number, encoding, shape, rule, and runs the statement.
void add_redaction(Query& row, const scrubbers::Redaction& redaction);
/// Reads the same columns. Throws Damage.
[[nodiscard]] scrubbers::Redaction redaction_in(const Query& row);

}  // namespace tapedeck::cassettes
