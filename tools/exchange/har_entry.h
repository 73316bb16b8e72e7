#pragma once
// Converts an entry of a HAR archive to an interaction.

#include <stdexcept>
#include <string>
#include <string_view>

#include "api/interaction.h"

namespace tapedeck::tools {

/// Explains why an entry is not a valid request.
class EntryFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct HarEntry {
  std::string origin;  ///< "https://nas.example:5001"; empty if the URL is not HTTP
  api::Interaction
      interaction;  ///< with the whole path as its target; broken if the archive lacks the response or its body
  bool has_date = true;
};

/// Reads an entry from JSON text. An entry without a date gets the time `before_us`. Throws EntryFault.
[[nodiscard]] HarEntry read_entry(std::string_view json, std::int64_t before_us);

}  // namespace tapedeck::tools
