#pragma once
// Files that a command makes at names that people give: never over a link, never over what is somebody else's, and
// taken away only while they are still the ones that were made.

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/descriptor.h"

namespace tapedeck::base {

/// Says of a file's first 4 KiB that an earlier run of ours wrote it. Empty files are not asked about: `mktemp` makes
/// them for us.
using IsOurs = std::function<bool(std::string_view head)>;

/// Why an open file is not ours to write; nothing: it is.
[[nodiscard]] std::optional<std::string> why_not_ours(const Descriptor& file, const IsOurs& is_ours);
/// The same of what is at a name; nothing where there is nothing.
[[nodiscard]] std::optional<std::string> why_not_ours(const std::string& path, const IsOurs& is_ours);

/// Mode 0600, by rename.
class OwnFile {
 public:
  OwnFile(std::string path, IsOurs is_ours) : path_(std::move(path)), is_ours_(std::move(is_ours)) {}
  ~OwnFile();
  OwnFile(const OwnFile&) = delete;
  OwnFile& operator=(const OwnFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  /// Why it cannot be written; nothing: it is.
  [[nodiscard]] std::optional<std::string> write(std::string_view bytes);
  /// write() in two steps, for what must not go wrong in between: what the system can refuse, it refuses in prepare().
  [[nodiscard]] std::optional<std::string> prepare(std::string_view bytes);
  [[nodiscard]] std::optional<std::string> put();
  /// Takes it away, unless something else has its name by now. Inodes are used again: that it is still ours is known
  /// by the descriptor that was held since.
  void remove();

 private:
  void drop_draft();

  std::string path_;
  IsOurs is_ours_;
  Descriptor file_;        ///< of what was written
  std::string draft_;      ///< what is prepared and not yet put
  Descriptor draft_file_;  ///< of it
};

}  // namespace tapedeck::base
