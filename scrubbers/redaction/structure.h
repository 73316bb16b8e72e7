#pragma once
// Compares the structure of a body before and after its secrets are replaced, so that no reader of the recording gets a
// body that it cannot parse.

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tapedeck::scrubbers {

/// Ranges [begin, end) of a text, sorted, without overlaps.
using Ranges = std::vector<std::pair<std::size_t, std::size_t>>;

/// Returns a number for the structure of `text` with one digit in place of each range: for JSON, its brackets,
/// separators, strings, and numbers; for XML, its tags; for a form, its separators. Returns nothing for any other text,
/// valid or not.
[[nodiscard]] std::optional<std::uint64_t> structure_of(std::string_view text, const Ranges& replaced, bool is_form);

}  // namespace tapedeck::scrubbers
