#pragma once
// The secret that a control request must bring along.

#include <string>
#include <string_view>

namespace tapedeck::inspector {

/// 32 bytes of the system's generator, as 64 hex digits.
[[nodiscard]] std::string make_token();

/// Takes as long for a wrong guess as for a right one; only the length of `given` shows.
[[nodiscard]] bool same_token(std::string_view given, std::string_view token);

}  // namespace tapedeck::inspector
