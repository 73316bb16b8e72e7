#pragma once
// Files beside an overlay file.

#include <filesystem>
#include <string>

namespace tapedeck::replay {

struct ContainedFile {
  std::string path;
  std::string bytes;
};

/// Reads `name` under `folder`. Throws std::invalid_argument, with words that go behind the member's name, when it is
/// an absolute path, leads out of the folder (by ".." or by a link), or is no regular file of at most 64 MiB.
[[nodiscard]] ContainedFile contained_file(const std::filesystem::path& folder, const std::string& name);

}  // namespace tapedeck::replay
