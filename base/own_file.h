#pragma once
// Manages files that a command creates at paths that users name. They do not replace links or other programs' files,
// and they are removed only while they are still the same file.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace tapedeck::base {

/// Returns true if the first 4 KiB of a file show that an earlier run wrote it. Not called for empty files, such as
/// those that `mktemp` creates.
using IsOurs = std::function<bool(std::string_view head)>;

/// Returns the reason why an open file may not be written, or nothing if it may.
[[nodiscard]] std::optional<std::string> why_not_ours(const Descriptor& file, const IsOurs& is_ours);
/// Does the same for the file at a path. Returns nothing if there is none.
[[nodiscard]] std::optional<std::string> why_not_ours(const std::string& path, const IsOurs& is_ours);

/// Writes with mode 0600, by rename.
class OwnFile {
 public:
  OwnFile(std::string path, IsOurs is_ours) : path_(std::move(path)), is_ours_(std::move(is_ours)) {}
  ~OwnFile();
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Returns the reason why it cannot be written, or nothing on success.
  [[nodiscard]] std::optional<std::string> write(std::string_view bytes);
  /// Performs the first of two steps of write(), which includes everything that can fail.
  [[nodiscard]] std::optional<std::string> prepare(std::string_view bytes);
  [[nodiscard]] std::optional<std::string> put();
  /// Removes the file, unless another file has its name by now. Inodes are reused, so the descriptor stays open to
  /// recognize the file.
  void remove();

 private:
  void drop_draft();

  std::string path_;
  IsOurs is_ours_;
  Descriptor file_;        ///< descriptor of the written file
  std::string draft_;      ///< prepared, but not yet renamed
  Descriptor draft_file_;  ///< descriptor of the draft
};

}  // namespace tapedeck::base
