#include "cli/running/private_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

namespace tapedeck::cli {

PrivateFolder::PrivateFolder() {
  std::error_code ignored;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(ignored);
  path_ = (parent / "tapedeck-XXXXXX").string();
  if (mkdtemp(path_.data()) != nullptr) return;
  throw std::runtime_error("cannot make a folder in " + parent.string() + ": " + std::strerror(errno));
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace tapedeck::cli
