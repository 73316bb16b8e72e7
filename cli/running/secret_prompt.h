#pragma once
// Asking people for something that nobody else may see.

#include <optional>
#include <string>

namespace tapedeck::cli {

/// Asks on the controlling terminal, whatever standard input is, and shows nothing of what is typed. Nothing when there
/// is no terminal, or when Ctrl-C or Ctrl-D was typed. The terminal is as it was afterwards. Blocks; one at a time.
[[nodiscard]] std::optional<std::string> prompt_secretly(const std::string& question);

}  // namespace tapedeck::cli
