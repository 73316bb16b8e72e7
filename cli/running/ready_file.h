#pragma once
// How a script learns that a server accepts, and where (--ready-file).

#include <string>
#include <utility>
#include <vector>

namespace tapedeck::cli {

/// Written by rename, mode 0600: first line the base URL, then `name=value` lines; taken away when the command ends.
class ReadyFile {
 public:
  ReadyFile() = default;
  ~ReadyFile();
  ReadyFile(const ReadyFile&) = delete;
  ReadyFile& operator=(const ReadyFile&) = delete;
  /// Does nothing for an empty path. Throws std::runtime_error with one clear line.
  void write(const std::string& path, const std::string& url,
             const std::vector<std::pair<std::string, std::string>>& values);

 private:
  std::string path_;
};

}  // namespace tapedeck::cli
