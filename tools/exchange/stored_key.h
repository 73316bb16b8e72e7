#pragma once
// The key of a stored request, made anew.

#include <cstdint>
#include <vector>

#include "cassettes/file/take_row.h"
#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::tools {

/// As the take's policy makes it. Throws std::invalid_argument for a policy that this program does not know.
[[nodiscard]] api::RequestKey key_of(const scrubbers::InteractionRecord& record, const cassettes::TakeRow& take);
/// Throws std::out_of_range when it is not there.
[[nodiscard]] const cassettes::TakeRow& take_of(const std::vector<cassettes::TakeRow>& takes, std::uint32_t number);

}  // namespace tapedeck::tools
