#include "cli/running/ready_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>

#include "base/own_file.h"
#include "base/text.h"

namespace tapedeck::cli {
namespace {

/// Creates a folder that only this user can access.
std::string make_folder() {
  const char* const runtime = std::getenv("XDG_RUNTIME_DIR");
  const bool has_runtime = runtime != nullptr && access(runtime, W_OK) == 0;
  std::error_code ignored;
  const std::filesystem::path parent = has_runtime ? runtime : std::filesystem::temp_directory_path(ignored);
  std::string folder = (parent / "tapedeck-XXXXXX").string();
  if (mkdtemp(folder.data()) != nullptr) return folder;
  throw std::runtime_error("cannot create a folder for the control API token in " + parent.string() + ": " +
                           std::strerror(errno) + "\nhint: choose another place with --ready-file PATH");
}

/// Returns true for a URL followed by lines of name=value.
bool is_ready_file(std::string_view head) {
  if (!head.starts_with("http://") && !head.starts_with("https://")) return false;
  bool is_first = true;
  while (!head.empty()) {
    const std::string_view line = base::take_until(head, '\n');
    if (!is_first && line.find('=') == std::string_view::npos) return false;
    is_first = false;
  }
  return true;
}

}  // namespace

ReadyFile::ReadyFile(std::string path, bool needed)
    : folder_(path.empty() && needed ? make_folder() : std::string()),
      path_(folder_.empty() ? std::move(path) : folder_ + "/ready") {
  if (path_.empty()) return;
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) fail(std::strerror(errno));
  if (const auto why = base::why_not_ours(path_, is_ready_file)) fail(*why);
}

ReadyFile::~ReadyFile() {
  if (!draft_.empty()) unlink(draft_.c_str());
  if (file_.open() && base::id_of(path_) == file_.id()) unlink(path_.c_str());
  if (!folder_.empty()) rmdir(folder_.c_str());
}

void ReadyFile::prepare(const std::string& url, const std::vector<std::pair<std::string, std::string>>& values) {
  if (path_.empty()) return;
  if (const auto why = base::why_not_ours(path_, is_ready_file)) fail(*why);
  std::string draft = path_ + ".XXXXXX";
  file_ = base::Descriptor(mkostemp(draft.data(), O_CLOEXEC));
  if (!file_.open()) fail(std::strerror(errno));
  draft_ = std::move(draft);
  std::string text = url + "\n";
  for (const auto& [name, value] : values) text += name + "=" + value + "\n";
  if (fchmod(file_.number(), 0600) != 0 || !base::write_all(file_.number(), text)) fail(std::strerror(errno));
}

void ReadyFile::put() {
  if (path_.empty()) return;
  if (std::rename(draft_.c_str(), path_.c_str()) != 0) fail(std::strerror(errno));
  draft_.clear();
}

void ReadyFile::fail(const std::string& why) const {
  throw std::runtime_error("cannot write the ready file " + path_ + ": " + why);
}

}  // namespace tapedeck::cli
