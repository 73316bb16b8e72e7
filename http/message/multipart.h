#pragma once
// Parses multipart/form-data (RFC 7578) into fields with their places. An upload to a device has the fields `path`,
// `create_parents`, …, and the file as the last one (docs/device-notes.md, "Responses").

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/urlencoded.h"

namespace tapedeck::http {

struct MultipartField {
  std::string name;
  std::optional<std::string> filename;  ///< present for a file part
  Span head;                            ///< header lines in the body, without the empty line
  Span content;                         ///< its place in the body
};

/// Returns the boundary in a Content-Type of multipart/form-data, or nothing.
[[nodiscard]] std::optional<std::string> multipart_boundary(const Headers& headers);
/// Returns the boundary in any Content-Type, or nothing.
[[nodiscard]] std::optional<std::string> boundary_of(const Headers& headers);

/// Returns the fields in order. Returns nothing if the framing is broken anywhere up to the closing delimiter.
[[nodiscard]] std::optional<std::vector<MultipartField>> parse_multipart(std::string_view body,
                                                                         std::string_view boundary);

}  // namespace tapedeck::http
