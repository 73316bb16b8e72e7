#pragma once
// Converts a recorded interaction to the details that the journal keeps of a request.

#include <cstdint>

#include "journal/kept_request.h"
#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::journal {

/// `body_bytes` is the size of the whole body, which may be cut in the record.
[[nodiscard]] KeptRequest kept_of(const scrubbers::InteractionRecord& record, std::uint64_t body_bytes);
/// Returns the redacted places of one part.
[[nodiscard]] std::vector<MarkedText::Mark> marks_of(const scrubbers::InteractionRecord& record, scrubbers::Part part);

}  // namespace tapedeck::journal
