#pragma once
// multipart/form-data as fields with places (RFC 7578): devices take uploads as `path`, `create_parents`, …, and the
// file part last (docs/device-notes.md, "Responses").

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/urlencoded.h"

namespace tapedeck::http {

struct MultipartField {
  std::string name;
  std::optional<std::string> filename;  ///< present for a file part
  Span content;                         ///< in the body
};

/// The boundary of a multipart/form-data content type, or nothing.
[[nodiscard]] std::optional<std::string> multipart_boundary(const Headers& headers);
/// The boundary of a content type of any kind, or nothing.
[[nodiscard]] std::optional<std::string> boundary_of(const Headers& headers);

/// The fields in order, or nothing when the body does not follow the boundary's framing to its closing delimiter.
[[nodiscard]] std::optional<std::vector<MultipartField>> parse_multipart(std::string_view body,
                                                                         std::string_view boundary);

}  // namespace tapedeck::http
