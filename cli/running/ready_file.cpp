#include "cli/running/ready_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

#include "base/descriptor.h"

namespace tapedeck::cli {

ReadyFile::~ReadyFile() {
  if (!path_.empty()) unlink(path_.c_str());
}

void ReadyFile::write(const std::string& path, const std::string& url,
                      const std::vector<std::pair<std::string, std::string>>& values) {
  if (path.empty()) return;
  std::string text = url + "\n";
  for (const auto& [name, value] : values) text += name + "=" + value + "\n";
  if (!base::replace_file(path, text, 0600)) {
    const int error = errno;
    throw std::runtime_error("cannot write the ready file " + path + ": " + std::strerror(error));
  }
  path_ = path;
}

}  // namespace tapedeck::cli
