#pragma once
// Recognizes files of earlier runs, because a command does not replace links or other programs' files.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace tapedeck::base {

/// Returns true if the first 4 KiB of a file show that an earlier run wrote it. Not called for empty files, such as
/// those that `mktemp` creates.
using IsOurs = std::function<bool(std::string_view head)>;

/// Returns the reason why an open file may not be written, or nothing if it may.
[[nodiscard]] std::optional<std::string> why_not_ours(const Descriptor& file, const IsOurs& is_ours);
/// Does the same for the file at a path. Returns nothing if there is none.
[[nodiscard]] std::optional<std::string> why_not_ours(const std::string& path, const IsOurs& is_ours);

}  // namespace tapedeck::base
