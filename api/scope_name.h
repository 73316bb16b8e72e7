#pragma once
// The name of a scope, and where a request says it (toolkit §1, "where it comes from", "spelling").

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message/message.h"

namespace tapedeck::api {

/// What a test calls what it does, and which of its runs it is.
struct ScopeName {
  static constexpr std::size_t most_bytes = 1'000;

  std::string name;       ///< decoded: UTF-8 without control characters; never empty
  std::uint32_t run = 1;  ///< from 1

  /// Percent-encoded; a final raw `#2` is the run. Nothing for an empty name, a broken escape, what is no UTF-8 or has
  /// control characters, more than most_bytes, and a `#` that begins no run.
  [[nodiscard]] static std::optional<ScopeName> parse(std::string_view spelled);
  /// The same of a segment of a path, where `;2` is the run.
  [[nodiscard]] static std::optional<ScopeName> parse_segment(std::string_view spelled);
  /// A spelling that parse() reads: `%`, `#` and `;` are encoded, and run 1 is not said. Equal texts are equal scopes.
  [[nodiscard]] std::string text() const;
  bool operator==(const ScopeName&) const = default;
};

/// A learned secret in a stored name stands as 0x01, the class's word, 0x02.
[[nodiscard]] bool has_redacted_place(std::string_view stored);
/// True when `name` is the stored one with any texts in its redacted places.
[[nodiscard]] bool fits_redacted(std::string_view name, std::string_view stored);
/// A stored name as it is shown, spelled as parse() reads it: "of <ACCOUNT>", "100%25".
[[nodiscard]] std::string shown_scope(std::string_view stored);
/// The same in a header: percent-encoded but for plain ASCII.
[[nodiscard]] std::string scope_in_header(std::string_view stored);

inline constexpr std::string_view scope_header = "X-Tapedeck-Scope";

/// Of requests that came in at a scope's own port: what the listener there says.
inline constexpr std::string_view port_scope_header = "X-Tapedeck-Port-Scope";

/// What leads a scope's name in a path. Any other path belongs to the device, also "/~name/".
inline constexpr std::string_view scope_prefix = "/~scope/";

/// The leading "/~scope/NAME" of a target, as it was sent; empty without one.
[[nodiscard]] std::string_view scope_segment(std::string_view target);

/// What a request says of its scope: the header, else what leads the target, else its port.
struct ScopeSaid {
  std::optional<ScopeName> scope;
  bool is_malformed = false;  ///< a request that no scope can be read from is refused with 400
};
[[nodiscard]] ScopeSaid scope_of(const http::Request& request);

}  // namespace tapedeck::api
