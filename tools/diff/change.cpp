#include "tools/diff/change.h"

#include <array>

namespace tapedeck::tools {

std::string_view to_string(Noise noise) {
  static constexpr std::array<std::string_view, noise_classes> names{"clock", "counter", "random", "list order"};
  return names[static_cast<std::size_t>(noise)];
}

std::string_view to_string(Change::Kind kind) {
  static constexpr std::array<std::string_view, 13> names{"added",  "removed", "renamed",    "type",   "value",
                                                          "length", "order",   "error code", "status", "header",
                                                          "body",   "state",   "version"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace tapedeck::tools
