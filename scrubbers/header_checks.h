#pragma once
// Tells secrets apart that clients send in headers, such as the ID of a sharing link, without storing them
// (docs/decisions.md).

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::scrubbers {

/// Adds a check value to the shape of each header whose whole value in `before` was replaced in the record: 16 bits of
/// a hash with this number of the take. Leaves out headers that api::is_never_identity(), and values that people may
/// have chosen, unless the header is one of api::known_identity_headers().
void add_header_checks(InteractionRecord& record, const http::Headers& before, std::uint64_t key);

/// The shape of a redaction with a check value.
struct CheckedShape {
  std::string_view shape;  ///< as other redactions have it
  std::string_view check;  ///< empty: none

  [[nodiscard]] static CheckedShape of(std::string_view text);
  /// Returns true if the check value, which must not be empty, is that of this value.
  [[nodiscard]] bool confirms(std::string_view value) const;
};

}  // namespace tapedeck::scrubbers
