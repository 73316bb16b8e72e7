#include "cli/running/ready_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "base/descriptor.h"

namespace tapedeck::cli {
namespace {

/// A new folder that nobody else may look into.
std::string make_folder() {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  const bool has_runtime = runtime != nullptr && access(runtime, W_OK) == 0;
  std::error_code ignored;
  const std::filesystem::path parent = has_runtime ? runtime : std::filesystem::temp_directory_path(ignored);
  std::string folder = (parent / "tapedeck-XXXXXX").string();
  if (mkdtemp(folder.data()) != nullptr) return folder;
  throw std::runtime_error("cannot make a folder for the control API's token in " + parent.string() + ": " +
                           std::strerror(errno) + "; --ready-file PATH says where it is to be");
}

}  // namespace

ReadyFile::ReadyFile(std::string path, bool needed)
    : folder_(path.empty() && needed ? make_folder() : std::string()),
      path_(folder_.empty() ? std::move(path) : folder_ + "/ready") {
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (!path_.empty() && access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) fail();
}

ReadyFile::~ReadyFile() {
  if (is_written_) unlink(path_.c_str());
  if (!folder_.empty()) rmdir(folder_.c_str());
}

void ReadyFile::write(const std::string& url, const std::vector<std::pair<std::string, std::string>>& values) {
  if (path_.empty()) return;
  std::string text = url + "\n";
  for (const auto& [name, value] : values) text += name + "=" + value + "\n";
  if (!base::replace_file(path_, text, 0600)) fail();
  is_written_ = true;
}

void ReadyFile::fail() const {
  const int error = errno;
  throw std::runtime_error("cannot write the ready file " + path_ + ": " + std::strerror(error));
}

}  // namespace tapedeck::cli
