#pragma once
// Reads files beside an overlay file.

#include <filesystem>
#include <string>

namespace tapedeck::replay {

struct ContainedFile {
  std::string path;
  std::string bytes;
};

/// Reads `name` below `folder`. Throws std::invalid_argument, with a text that follows the member's name, if it is an
/// absolute path, leads out of the folder (by ".." or a link), or is not a regular file of up to 64 MiB.
[[nodiscard]] ContainedFile contained_file(const std::filesystem::path& folder, const std::string& name);

}  // namespace tapedeck::replay
