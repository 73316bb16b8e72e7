#include "replay/overlays/contained_file.h"

#include <algorithm>
#include <stdexcept>

#include "base/descriptor.h"

namespace tapedeck::replay {

namespace fs = std::filesystem;

ContainedFile contained_file(const fs::path& folder, const std::string& name) {
  constexpr std::uintmax_t largest = 64u << 20;
  if (name.empty() || fs::path(name).is_absolute()) {
    throw std::invalid_argument("must be the path of a file in the overlay's folder: " + name);
  }
  std::error_code failed;
  const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, failed);
  const fs::path path = failed ? fs::path() : fs::canonical(root / name, failed);
  if (failed) throw std::invalid_argument("refers to a missing file: " + name);
  if (std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first != root.end()) {
    throw std::invalid_argument("leads out of the overlay's folder: " + name);
  }
  const std::uintmax_t size = fs::is_regular_file(path, failed) ? fs::file_size(path, failed) : largest + 1;
  if (size > largest || failed) {
    throw std::invalid_argument("must name a regular file of at most 64 MiB: " + name);
  }
  auto bytes = base::read_file(path);
  if (!bytes) throw std::invalid_argument("refers to an unreadable file: " + name);
  return {path.string(), *std::move(bytes)};
}

}  // namespace tapedeck::replay
