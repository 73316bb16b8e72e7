#pragma once
// Whether a file was touched between two looks at it.

#include <cstdint>
#include <optional>
#include <string>

#include "base/descriptor.h"

namespace tapedeck::base {

/// A regular file as the system describes it: with an equal one nothing was written in between.
struct FileStamp {
  FileId file;
  std::int64_t size = 0, changed_ns = 0, modified_ns = 0;  ///< nanoseconds since 1970
  bool operator==(const FileStamp&) const = default;
};

/// Of what stands under this name, through links; nothing where no regular file does.
[[nodiscard]] std::optional<FileStamp> stamp_of(const std::string& path);

}  // namespace tapedeck::base
