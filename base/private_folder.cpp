#include "base/private_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace tapedeck::base {

PrivateFolder::PrivateFolder() {
  const char* folder = std::getenv("TMPDIR");
  path_ = std::string(folder && *folder ? folder : "/tmp") + "/tapedeck-XXXXXX";
  if (!mkdtemp(path_.data())) throw std::runtime_error(path_ + " cannot be created: " + std::strerror(errno));
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string PrivateFolder::file(std::string_view name) const { return path_ + "/" + std::string(name); }

}  // namespace tapedeck::base
