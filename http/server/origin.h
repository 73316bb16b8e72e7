#pragma once
// Parses origins of web pages (RFC 6454), and decides which of them are allowed.

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::http {

/// An origin such as "http://localhost:3000" in a unique spelling: lower case, without the default port of the scheme.
struct Origin {
  std::string scheme;
  std::string host;  ///< an IPv6 address has brackets
  std::string port;  ///< empty for the default port

  /// Returns nothing for "null" and for anything else that is not an origin.
  [[nodiscard]] static std::optional<Origin> parse(std::string_view text);
  /// Returns true if `authority` is the `Host` of requests to this origin.
  [[nodiscard]] bool is_at(std::string_view authority) const;
  /// Does the same, but treats `localhost`, `127.0.0.1`, and `[::1]` as equal.
  [[nodiscard]] bool is_beside(std::string_view authority) const;
  bool operator==(const Origin&) const = default;
};

/// A value of --cors: an origin, one with any port ("http://localhost:*"), or "*" for all.
class OriginPattern {
 public:
  /// Throws std::invalid_argument with a text that follows the value in a message.
  [[nodiscard]] static OriginPattern parse(std::string_view text);
  /// Returns true if the pattern matches `origin`, the value of the Origin header.
  [[nodiscard]] bool fits(std::string_view origin) const;

 private:
  Origin origin_;
  bool any_ = false, any_port_ = false;
};

}  // namespace tapedeck::http
