#pragma once
// Opens a HAR archive with the files that belong to it: beside the archive, or both in a ZIP file, as Playwright writes
// them.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::tools {

class HarFiles {
 public:
  /// Reads the archive at `path`. Throws std::runtime_error if it cannot be read, or if it is a ZIP file without a HAR.
  explicit HarFiles(const std::string& path);

  [[nodiscard]] std::string_view text() const { return text_; }
  /// Returns the content of a file that the archive names. Returns nothing if there is none, if it is not beside the
  /// archive, or if it is longer than 256 MiB.
  [[nodiscard]] std::optional<std::string> attached(const std::string& name) const;

 private:
  /// A file in the ZIP file.
  struct Packed {
    std::uint16_t method = 0;
    std::uint64_t offset = 0, packed_size = 0, size = 0;
  };
  void read_directory();
  [[nodiscard]] std::optional<std::string> unpacked(const Packed& file) const;

  std::string folder_;                   ///< of an archive that is not in a ZIP file
  std::string zip_;                      ///< the bytes of the ZIP file; empty without one
  std::map<std::string, Packed> files_;  ///< in the ZIP file
  std::string text_;
};

}  // namespace tapedeck::tools
