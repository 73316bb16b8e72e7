#include "cli/running/ready_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include "base/descriptor.h"

namespace tapedeck::cli {

ReadyFile::ReadyFile(std::string path) : path_(std::move(path)) {
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (!path_.empty() && access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) fail();
}

ReadyFile::~ReadyFile() {
  if (is_written_) unlink(path_.c_str());
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
