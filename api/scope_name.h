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
  /// The same of a path's segment, where `;2` is the run.
  [[nodiscard]] static std::optional<ScopeName> parse_segment(std::string_view spelled);
  /// A spelling that parse() reads: `%`, `#` and `;` are encoded, and run 1 is not said. Equal texts are equal scopes.
  [[nodiscard]] std::string text() const;
  bool operator==(const ScopeName&) const = default;
};

inline constexpr std::string_view scope_header = "X-Tapedeck-Scope";

/// The leading "/~NAME" of a target, as it was sent; empty without one.
[[nodiscard]] std::string_view scope_segment(std::string_view target);

/// What a request says of its scope: the header, else the leading segment.
struct ScopeSaid {
  std::optional<ScopeName> scope;
  bool is_malformed = false;  ///< a request that no scope can be read from is refused with 400
};
[[nodiscard]] ScopeSaid scope_of(const http::Request& request);

}  // namespace tapedeck::api
