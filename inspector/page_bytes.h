#pragma once
// inspector/page/ as bytes; cmake/embed_page.cmake writes the .cpp.

#include <span>
#include <string_view>
#include <utility>

namespace tapedeck::inspector {

/// Name and bytes of each file.
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> page_bytes();

}  // namespace tapedeck::inspector
