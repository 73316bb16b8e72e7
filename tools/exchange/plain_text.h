#pragma once
// Recorded bytes where a form has Unicode text alone.

#include <string>
#include <string_view>

namespace tapedeck::tools {

/// UTF-8 that an editor and a shell take: no controls but line ends and tabs.
[[nodiscard]] bool is_plain_text(std::string_view bytes);
/// Bytes that are no UTF-8 as U+FFFD.
[[nodiscard]] std::string readable(std::string_view bytes);

}  // namespace tapedeck::tools
