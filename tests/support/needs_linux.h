#pragma once
// Skips tests of what only Linux can do, in a build with TAPEDECK_PORTABLE and on other systems.

#include <iostream>
#include <string_view>

namespace tapedeck::tests {

extern const bool uses_linux;  ///< base/linux.cpp is in this build

/// Returns true if the case must end, after it has printed why it needs Linux. An end-to-end test is then shown as
/// skipped. Call it in the first line of a case.
[[nodiscard]] inline bool needs_linux(std::string_view why) {
  if (!uses_linux) std::cout << "SKIPPED: needs Linux: " << why << std::endl;
  return !uses_linux;
}

}  // namespace tapedeck::tests
