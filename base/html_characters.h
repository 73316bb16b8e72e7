#pragma once

#include <cstdint>
#include <string_view>

namespace tapedeck::base {

/// Returns the character of an HTML name in ASCII or Latin-1 ("amp", "auml"); 0 for any other name.
[[nodiscard]] std::uint32_t named_character(std::string_view name);

}  // namespace tapedeck::base
