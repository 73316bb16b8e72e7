#pragma once
// Pictures that say where they were taken.

#include <string_view>

namespace tapedeck::scrubbers {

/// Returns true for a file with a position in it: a GPS directory of EXIF data (CIPA DC-008) or a GPS property of XMP,
/// whatever kind of file has it (JPEG, PNG, TIFF, HEIF, WebP). False for texts.
[[nodiscard]] bool holds_position(std::string_view file);

}  // namespace tapedeck::scrubbers
