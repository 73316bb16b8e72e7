#include "base/private_folder.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace tapedeck::base {

PrivateFolder::PrivateFolder() {
  const char *const given = std::getenv("TMPDIR"), *const runtime = std::getenv("XDG_RUNTIME_DIR");
  int first_error = 0;
  for (const char* const parent : {given, runtime, "/tmp", "/var/tmp", "/dev/shm"}) {
    if (parent == nullptr || *parent == '\0') continue;
    path_ = std::string(parent) + "/tapedeck-XXXXXX";
    if (mkdtemp(path_.data())) return;
    if (first_error == 0) first_error = errno;
  }
  throw std::runtime_error(std::string("cannot create a folder in TMPDIR or /tmp: ") + std::strerror(first_error));
}

PrivateFolder::~PrivateFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

std::string PrivateFolder::file(std::string_view name) const { return path_ + "/" + std::string(name); }

}  // namespace tapedeck::base
