#pragma once
// Where a picture was taken: the GPS values of a JPEG's EXIF data (CIPA DC-008, "GPS Attribute Information").

#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/private/pseudonyms.h"

namespace tapedeck::scrubbers {

/// One value, as a place in the file.
struct ExifPiece {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is_rational = false;  ///< fractions of 32 bits each; else a text
  bool is_little = false;    ///< byte order
};
/// Those that lie outside of their entries: positions, heights, times. In order; none of what is no such file.
[[nodiscard]] std::vector<ExifPiece> exif_positions(std::string_view file);
/// As many bytes: another place of this world, by the pseudonyms' key.
[[nodiscard]] std::string exif_pseudonym(std::string_view file, const ExifPiece& piece, Pseudonyms& pseudonyms);

}  // namespace tapedeck::scrubbers
