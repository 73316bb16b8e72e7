#pragma once
// Converts an entry of a HAR archive to an interaction.

#include <string>
#include <string_view>

#include "api/interaction.h"

namespace tapedeck::tools {

struct HarEntry {
  std::string origin;  ///< "https://nas.example:5001"; empty if the URL is not HTTP
  /// With the whole path as its target; broken if the archive lacks the response or its body.
  api::Interaction interaction;
  bool has_date = true;
};

/// Reads an entry from JSON text. An entry without a date gets the time `before_us`. Throws EntryFault.
[[nodiscard]] HarEntry read_entry(std::string_view json, std::int64_t before_us);

}  // namespace tapedeck::tools
