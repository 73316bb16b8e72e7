#pragma once
// The bytes of inspector/page/. cmake/embed_page.cmake generates the .cpp file.

#include <span>
#include <string_view>
#include <utility>

namespace tapedeck::inspector {

/// Returns name and bytes of each file.
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> page_bytes();

}  // namespace tapedeck::inspector
