#pragma once
// Recorded bytes where a form has Unicode text alone.

#include <string>
#include <string_view>

namespace tapedeck::tools {

[[nodiscard]] bool is_utf8(std::string_view bytes);
/// Bytes that are no UTF-8 as U+FFFD.
[[nodiscard]] std::string readable(std::string_view bytes);
/// A scope's name with its redacted places as `<ACCOUNT>`.
[[nodiscard]] std::string shown_scope(std::string_view name);

}  // namespace tapedeck::tools
