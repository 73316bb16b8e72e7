#pragma once
// Determines content types by the extension of a file name.

#include <string_view>

namespace tapedeck::http {

/// Returns "application/octet-stream" for an unknown extension.
[[nodiscard]] std::string_view content_type_of(std::string_view path);

}  // namespace tapedeck::http
