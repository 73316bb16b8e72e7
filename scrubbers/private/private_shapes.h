#pragma once
// Finds private data by its shape: network addresses, MAC addresses, mail addresses, phone numbers, fingerprints.

#include <string>
#include <string_view>
#include <vector>

#include "scrubbers/private/pseudonyms.h"

namespace tapedeck::scrubbers {

struct PrivateShape {
  enum class Kind { ipv4, ipv6, mac, mail, phone, fingerprint };
  Kind kind = Kind::ipv4;
  std::size_t begin = 0;
  std::size_t end = 0;
};
[[nodiscard]] std::string_view to_string(PrivateShape::Kind kind);

/// Returns the shapes in order, without overlaps. Ignores addresses without an owner (masks, loopback).
[[nodiscard]] std::vector<PrivateShape> private_shapes(std::string_view text);
/// Returns the pseudonym of a value that has this shape.
[[nodiscard]] std::string pseudonym_of(const PrivateShape& shape, std::string_view value, Pseudonyms& pseudonyms);
/// Returns the text with pseudonyms in place of all shapes.
[[nodiscard]] std::string shapes_replaced(std::string_view text, Pseudonyms& pseudonyms);

/// Returns true for a file with a position: a GPS directory of EXIF data (CIPA DC-008) or a GPS property of XMP, in any
/// kind of file (JPEG, PNG, TIFF, HEIF, WebP). Returns false for texts.
[[nodiscard]] bool holds_position(std::string_view file);

}  // namespace tapedeck::scrubbers
