#pragma once
// Redactions and the events of a stream as packed columns (docs/cassette-format.md, "While recording" and "pace").

#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/scrubbed_interaction.h"

namespace tapedeck::cassettes {

[[nodiscard]] std::string pack(const std::vector<scrubbers::Redaction>& redactions);
/// Throws Damage.
[[nodiscard]] std::vector<scrubbers::Redaction> unpack(std::string_view bytes);

/// Times count from `start_us`. Events out of order, and those beyond api::most_stream_events, are left out.
[[nodiscard]] std::string pack_events(const std::vector<api::StreamEvent>& events, std::int64_t start_us);
/// Throws Damage, also when one ends behind `body_size`.
[[nodiscard]] std::vector<api::StreamEvent> unpack_events(std::string_view bytes, std::int64_t start_us,
                                                          std::uint64_t body_size);

/// The length of each part's text, in the order of scrubbers::Part.
struct PartSizes {
  std::uint64_t of[6] = {};
};
[[nodiscard]] PartSizes part_sizes(const scrubbers::InteractionRecord& record);
/// Throws Damage unless the rows are sorted, apart, and inside their texts.
void check_redactions(const std::vector<scrubbers::Redaction>& redactions, const PartSizes& sizes);

}  // namespace tapedeck::cassettes
