#pragma once
// Decides which request headers tell requests apart (docs/matching.md, "Headers").

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/message.h"

namespace tapedeck::api {

/// Returns true for a header that never tells requests apart, because it is about the client, its connection, or its
/// session, or is an ID of a single request.
[[nodiscard]] bool is_never_identity(std::string_view name);

/// The headers that tell requests apart whatever was recorded, in lower case.
[[nodiscard]] std::span<const std::string_view> known_identity_headers();

/// The value of a header in a request. Several lines of one name are joined, as RFC 9110 §5.3 allows.
struct HeaderValue {
  std::string_view name;  ///< as in IdentityHeaders::names()
  std::string value;
};

/// The names of headers that tell requests apart. The views in results are valid as long as the object.
class IdentityHeaders {
 public:
  /// Returns known_identity_headers().
  [[nodiscard]] static IdentityHeaders known();
  /// Adds a header. Ignores one that is_never_identity().
  void add(std::string_view name);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }  ///< in lower case, sorted
  [[nodiscard]] bool contains(std::string_view name) const { return find(name) != nullptr; }
  /// Returns the values of these headers in a request, sorted by name. Most requests have none.
  [[nodiscard]] std::vector<HeaderValue> values_of(const http::Headers& headers) const;
  bool operator==(const IdentityHeaders&) const = default;

 private:
  [[nodiscard]] const std::string* find(std::string_view name) const;

  std::vector<std::string> names_;
  std::uint64_t lengths_ = 0;  ///< bit n: a name has n bytes, or 63 and more
};

/// Appends a line for one header to a text that identifies the headers of a request. `value` is not changed; it must
/// come from header_piece() and header_hole().
void append_header(std::string& text, std::string_view name, std::string_view value);
/// Returns a piece of a value in which `<` is escaped, so that it is not taken for a hole.
[[nodiscard]] std::string header_piece(std::string_view piece);
/// Returns the form of a redacted place with this label.
[[nodiscard]] std::string header_hole(std::string_view label);
/// Returns the names of the headers in which two such texts differ, separated by ", ".
[[nodiscard]] std::string differing_headers(std::string_view a, std::string_view b);

}  // namespace tapedeck::api
