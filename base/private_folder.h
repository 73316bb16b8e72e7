#pragma once

#include <string>
#include <string_view>

namespace tapedeck::base {

/// A private folder under $TMPDIR with mode 0700. It is removed with its content. The constructor throws
/// std::runtime_error if it cannot be created.
class PrivateFolder {
 public:
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(std::string_view name) const;
  /// Leaves the folder and its content in place.
  void keep() { path_.clear(); }

 private:
  std::string path_;
};

}  // namespace tapedeck::base
