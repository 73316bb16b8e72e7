#pragma once
// Content types by a file's name.

#include <string_view>

namespace tapedeck::http {

/// "application/octet-stream" for an ending that is not known.
[[nodiscard]] std::string_view content_type_of(std::string_view path);

}  // namespace tapedeck::http
