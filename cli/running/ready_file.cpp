#include "cli/running/ready_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>

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
      file_(folder_.empty() ? std::move(path) : folder_ + "/ready", is_ready_file) {
  if (file_.path().empty()) return;
  const std::filesystem::path folder = std::filesystem::path(file_.path()).parent_path();
  if (access(folder.empty() ? "." : folder.c_str(), W_OK) != 0) fail(std::strerror(errno));
  if (const auto why = base::why_not_ours(file_.path(), is_ready_file)) fail(*why);
}

ReadyFile::~ReadyFile() {
  file_.remove();
  if (!folder_.empty()) rmdir(folder_.c_str());
}

void ReadyFile::write(const std::string& url, const std::vector<std::pair<std::string, std::string>>& values) {
  prepare(url, values);
  put();
}

void ReadyFile::put() {
  if (file_.path().empty()) return;
  if (const auto why = file_.put()) fail(*why);
}

void ReadyFile::prepare(const std::string& url, const std::vector<std::pair<std::string, std::string>>& values) {
  if (file_.path().empty()) return;
  std::string text = url + "\n";
  for (const auto& [name, value] : values) text += name + "=" + value + "\n";
  if (const auto why = file_.prepare(text)) fail(*why);
}

void ReadyFile::fail(const std::string& why) const {
  throw std::runtime_error("cannot write the ready file " + file_.path() + ": " + why);
}

}  // namespace tapedeck::cli
