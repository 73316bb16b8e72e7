#pragma once
// Recognizes pictures that contain the position where they were taken.

#include <string_view>

namespace tapedeck::scrubbers {

/// Returns true for a file with a position: a GPS directory of EXIF data (CIPA DC-008) or a GPS property of XMP, in any
/// kind of file (JPEG, PNG, TIFF, HEIF, WebP). Returns false for texts.
[[nodiscard]] bool holds_position(std::string_view file);

}  // namespace tapedeck::scrubbers
