#pragma once
// Detects whether a file has changed between two checks.

#include <cstdint>
#include <optional>
#include <string>

#include "base/descriptor.h"

namespace tapedeck::base {

/// The state of a regular file. If two stamps are equal, the file was not written in between.
struct FileStamp {
  FileId file;
  std::int64_t size = 0, changed_ns = 0, modified_ns = 0;  ///< nanoseconds since 1970
  bool operator==(const FileStamp&) const = default;
};

/// Returns the stamp of the file with this name, following links, or nothing if there is no regular file.
[[nodiscard]] std::optional<FileStamp> stamp_of(const std::string& path);

}  // namespace tapedeck::base
