#pragma once

#include <cstdint>
#include <string_view>

namespace tapedeck::base {

/// What one of HTML's names of ASCII and Latin-1 characters stands for ("amp", "auml"); 0 for any other name.
[[nodiscard]] std::uint32_t named_character(std::string_view name);

}  // namespace tapedeck::base
