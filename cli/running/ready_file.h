#pragma once
// How a script learns that a server accepts, and where (--ready-file).

#include <string>
#include <utility>
#include <vector>

#include "base/own_file.h"

namespace tapedeck::cli {

/// Written by rename, mode 0600: first line the base URL, then `name=value` lines; taken away when the command ends. A
/// file that is no ready file is left alone.
class ReadyFile {
 public:
  /// Throws std::runtime_error with one clear line when its folder cannot be written: before anything else is made.
  /// With an empty path nothing is written, unless it is `needed`: then it stands in a folder of its own (mode 0700),
  /// in $XDG_RUNTIME_DIR or where temporary files go.
  explicit ReadyFile(std::string path, bool needed = false);
  ~ReadyFile();
  ReadyFile(const ReadyFile&) = delete;
  ReadyFile& operator=(const ReadyFile&) = delete;
  /// Throws as the constructor does.
  void write(const std::string& url, const std::vector<std::pair<std::string, std::string>>& values);
  /// write() in two steps: between them is done what must not be undone because the file cannot be written. Throw as
  /// the constructor does.
  void prepare(const std::string& url, const std::vector<std::pair<std::string, std::string>>& values);
  void put();
  /// Where it is when nobody has said where; empty otherwise.
  [[nodiscard]] std::string own_place() const { return folder_.empty() ? std::string() : file_.path(); }

 private:
  [[noreturn]] void fail(const std::string& why) const;

  const std::string folder_;  ///< of its own
  base::OwnFile file_;
};

}  // namespace tapedeck::cli
