#pragma once
// Base64 with padding (RFC 4648 §4).

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::tools {

[[nodiscard]] std::string to_base64(std::string_view bytes);
/// Nothing for what is no base64; line ends in it are left out.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

}  // namespace tapedeck::tools
