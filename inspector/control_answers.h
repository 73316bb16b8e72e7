#pragma once
// What all answers of the control API have in common: JSON in one form, and pages of lists.

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "inspector/routes.h"

namespace tapedeck::inspector {

/// Entries of a list's page, where the query has no `limit`, and at most.
inline constexpr std::uint64_t page = 100;
inline constexpr std::uint64_t largest_page = 1'000;

/// Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] inline std::string text_of(const nlohmann::json& object) {
  return object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

[[nodiscard]] inline ControlAnswer good(const nlohmann::json& object) { return {200, text_of(object)}; }

}  // namespace tapedeck::inspector
