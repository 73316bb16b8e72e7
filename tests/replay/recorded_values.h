#pragma once
// Session ids and bodies that several tests of replay record.

#include <string>
#include <string_view>

namespace tapedeck::replay {

inline constexpr std::string_view sid_a = "AAAA-recorded-session-one-0123456789";
inline constexpr std::string_view sid_b = "BBBB-recorded-session-two-0123456789";

/// A successful envelope whose data is that string.
inline std::string data(std::string_view text) { return R"({"data":")" + std::string(text) + R"(","success":true})"; }

/// A successful envelope whose data has the member n.
inline std::string numbered(int n) { return R"({"data":{"n":)" + std::to_string(n) + R"(},"success":true})"; }

}  // namespace tapedeck::replay
