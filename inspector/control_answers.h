#pragma once
// Contains helpers for responses of the control API: JSON and pages of lists.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "inspector/routes.h"

namespace tapedeck::inspector {

/// The default and the maximum number of entries in a page of a list.
inline constexpr std::uint64_t page = 100;
inline constexpr std::uint64_t largest_page = 1'000;

/// Returns JSON text. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] inline std::string text_of(const nlohmann::json& object) {
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

[[nodiscard]] inline ControlAnswer good(const nlohmann::json& object) { return {200, text_of(object)}; }

}  // namespace tapedeck::inspector
