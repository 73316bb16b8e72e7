#include "replay/overlays/contained_file.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tapedeck::replay {

namespace fs = std::filesystem;

ContainedFile contained_file(const fs::path& folder, const std::string& name) {
  constexpr std::uintmax_t largest = 64u << 20;
  if (name.empty() || fs::path(name).is_absolute()) {
    throw std::invalid_argument("must be the path of a file beside the overlay's own: " + name);
  }
  std::error_code failed;
  const fs::path root = fs::canonical(folder.empty() ? fs::path(".") : folder, failed);
  const fs::path path = failed ? fs::path() : fs::canonical(root / name, failed);
  if (failed) throw std::invalid_argument("names a file that is not there: " + name);
  if (std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first != root.end()) {
    throw std::invalid_argument("leads out of the overlay's folder: " + name);
  }
  if (!fs::is_regular_file(path, failed) || fs::file_size(path, failed) > largest || failed) {
    throw std::invalid_argument("must name a regular file of at most 64 MiB: " + name);
  }
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file) throw std::invalid_argument("names a file that cannot be read: " + name);
  return {path.string(), std::move(bytes).str()};
}

}  // namespace tapedeck::replay
