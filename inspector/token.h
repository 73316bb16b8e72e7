#pragma once
// Creates and compares the tokens of control requests.

#include <string>
#include <string_view>

namespace tapedeck::inspector {

/// Returns 32 random bytes as 64 hex digits.
[[nodiscard]] std::string make_token();

/// Compares tokens in constant time. Only the length of `given` influences the time.
[[nodiscard]] bool same_token(std::string_view given, std::string_view token);

}  // namespace tapedeck::inspector
