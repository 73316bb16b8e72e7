#pragma once

#include <string>
#include <vector>

namespace tapedeck::cli {

/// Returns `message` with the full paths of files that `arguments` name replaced by the paths as they were given.
[[nodiscard]] std::string as_given(std::string message, const std::vector<std::string>& arguments);

}  // namespace tapedeck::cli
