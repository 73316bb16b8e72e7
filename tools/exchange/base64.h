#pragma once
// Reading base64 with padding (RFC 4648 §4).

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::tools {

/// Returns nothing if the text is not base64. Line ends in it are skipped.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace tapedeck::tools
