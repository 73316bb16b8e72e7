#pragma once
// A recorded interaction as what is kept of a request.

#include <cstdint>

#include "journal/kept_request.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::journal {

/// Of a scrubbed record, whose bodies may be cut: then `body_bytes` is more than what is there.
[[nodiscard]] KeptRequest kept_of(const scrubbers::InteractionRecord& record, std::uint64_t body_bytes);
/// The redacted places of one part of it.
[[nodiscard]] std::vector<MarkedText::Mark> marks_of(const scrubbers::InteractionRecord& record, scrubbers::Part part);

}  // namespace tapedeck::journal
