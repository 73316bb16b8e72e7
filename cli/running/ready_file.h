#pragma once
// Writes the file that shows scripts when and where a server accepts requests (--ready-file).

#include <string>
#include <utility>
#include <vector>

#include "base/descriptor.h"

namespace tapedeck::cli {

/// The file has mode 0600 and is replaced atomically. Its first line is the base URL, and `name=value` lines follow. It
/// is removed when the command ends, unless something else has its name by then. A file with other content is never
/// overwritten.
class ReadyFile {
 public:
  /// Throws std::runtime_error with one line if the folder is not writable, before the command does anything else. With
  /// an empty path no file is written, unless it is `needed`: then it is placed in a folder of its own (mode 0700) in
  /// $XDG_RUNTIME_DIR or the folder for temporary files.
  explicit ReadyFile(std::string path, bool needed = false);
  ~ReadyFile();
  ReadyFile(const ReadyFile&) = delete;
  ReadyFile& operator=(const ReadyFile&) = delete;
  /// Writes a draft of the file, and put() renames it. Between them, the caller does what must not be undone because
  /// the file cannot be written. Both throw like the constructor.
  void prepare(const std::string& url, const std::vector<std::pair<std::string, std::string>>& values);
  void put();
  /// Returns the path if Tapedeck chose it, and otherwise an empty text.
  [[nodiscard]] std::string own_place() const { return folder_.empty() ? std::string() : path_; }

 private:
  [[noreturn]] void fail(const std::string& why) const;

  const std::string folder_;  ///< the folder that Tapedeck created; empty without one
  const std::string path_;    ///< empty: no file
  base::Descriptor file_;     ///< the file or its draft; inodes are reused, so it is kept open to recognize the file
  std::string draft_;         ///< prepared, but not yet renamed
};

}  // namespace tapedeck::cli
