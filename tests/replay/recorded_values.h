#pragma once
// Session IDs and bodies that several replay tests record.

#include <string>
#include <string_view>

namespace tapedeck::replay {

inline constexpr std::string_view sid_a = "AAAA-recorded-session-one-0123456789";
inline constexpr std::string_view sid_b = "BBBB-recorded-session-two-0123456789";

/// Returns a successful envelope with that string as data.
inline std::string data(std::string_view text) { return R"({"data":")" + std::string(text) + R"(","success":true})"; }

/// Returns a successful envelope whose data has the member n.
inline std::string numbered(int n) { return R"({"data":{"n":)" + std::to_string(n) + R"(},"success":true})"; }

}  // namespace tapedeck::replay
