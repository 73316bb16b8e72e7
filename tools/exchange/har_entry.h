#pragma once
// Converts an entry of a HAR archive to an interaction.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/interaction.h"

namespace tapedeck::tools {

/// Returns the content of a file that an entry names instead of a body, or nothing.
using Attached = std::function<std::optional<std::string>(const std::string& name)>;

struct HarEntry {
  std::string origin;  ///< "https://nas.example:5001"; empty if the URL is not HTTP
  bool is_websocket = false;
  /// With the whole path as its target; broken if the archive lacks the response or its body.
  api::Interaction interaction;
  bool has_date = true;
};

/// Reads an entry from JSON text. An entry without a date gets the time `before_us`. Throws EntryFault.
[[nodiscard]] HarEntry read_entry(std::string_view json, std::int64_t before_us, const Attached& attached = {});

}  // namespace tapedeck::tools
