#pragma once
// Parses the name of a scope, and finds it in a request (docs/testing.md, "Scopes").

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "http/message/message.h"

namespace tapedeck::api {

/// A scope and its run.
struct ScopeName {
  static constexpr std::size_t most_bytes = 1'000;

  std::string name;       ///< decoded UTF-8 without control characters; never empty
  std::uint32_t run = 1;  ///< from 1

  /// Parses a percent-encoded name. An unencoded `#2` at the end is the run. Returns nothing for an empty name, a
  /// broken escape, text that is not UTF-8 or has control characters, more than most_bytes, and a `#` without a run.
  [[nodiscard]] static std::optional<ScopeName> parse(std::string_view spelled);
  /// Parses a segment of a path, where `;2` is the run.
  [[nodiscard]] static std::optional<ScopeName> parse_segment(std::string_view spelled);
  /// Returns a spelling for parse(): `%`, `#`, and `;` are encoded, and run 1 is left out. Equal scopes have equal
  /// texts.
  [[nodiscard]] std::string text() const;
  bool operator==(const ScopeName&) const = default;
};

/// Returns true if the stored name contains a redacted secret: 0x01, the class's word, 0x02.
[[nodiscard]] bool has_redacted_place(std::string_view stored);
/// Returns true if `name` is the stored name with any texts in its redacted places.
[[nodiscard]] bool fits_redacted(std::string_view name, std::string_view stored);
/// Returns a stored name for display, as parse() reads it: "of <ACCOUNT>", "100%25".
[[nodiscard]] std::string shown_scope(std::string_view stored);
/// Returns a stored name for a header: plain ASCII stays, and everything else is percent-encoded.
[[nodiscard]] std::string scope_in_header(std::string_view stored);

inline constexpr std::string_view scope_header = "X-Tapedeck-Scope";

/// The header that the listener of a scope's own port adds to requests.
inline constexpr std::string_view port_scope_header = "X-Tapedeck-Port-Scope";

/// The prefix of scopes in paths. All other paths, also "/~name/", belong to the device.
inline constexpr std::string_view scope_prefix = "/~scope/";

/// Returns the leading "/~scope/NAME" of a target, as sent; empty without one.
[[nodiscard]] std::string_view scope_segment(std::string_view target);

/// The scope that a request names. The header takes precedence over the path, and the path over the port.
struct RequestedScope {
  std::optional<ScopeName> scope;
  bool is_malformed = false;  ///< the scope is not valid, so the request is refused with 400
};
[[nodiscard]] RequestedScope scope_of(const http::Request& request);

}  // namespace tapedeck::api
