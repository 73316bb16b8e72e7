#pragma once
// A hash for maps with text keys that are looked up by string_view.

#include <cstddef>
#include <functional>
#include <string_view>

namespace tapedeck::base {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

}  // namespace tapedeck::base
