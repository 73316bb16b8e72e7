#pragma once

#include <string>
#include <string_view>

namespace tapedeck::base {

/// A private folder under $TMPDIR, mode 0700; removed with what is in it. Throws std::runtime_error where there cannot
/// be one.
class PrivateFolder {
 public:
  PrivateFolder();
  ~PrivateFolder();
  PrivateFolder(const PrivateFolder&) = delete;
  PrivateFolder& operator=(const PrivateFolder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string file(std::string_view name) const;

 private:
  std::string path_;
};

}  // namespace tapedeck::base
