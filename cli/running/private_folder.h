#pragma once
// Where a command keeps files while it runs.

#include <string>

namespace tapedeck::cli {

/// A new folder under $TMPDIR that nobody else may look into; it goes with the object, and all that is in it.
class PrivateFolder {
 public:
  /// Throws std::runtime_error.
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;

  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace tapedeck::cli
