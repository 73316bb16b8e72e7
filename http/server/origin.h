#pragma once
// Origins of web pages (RFC 6454): what a browser says of the page that asks, and which of them are let in.

#include <optional>
#include <string>
#include <string_view>

namespace tapedeck::http {

/// "http://localhost:3000", in one spelling: case-folded, without the scheme's default port.
struct Origin {
  std::string scheme;
  std::string host;  ///< an IPv6 literal with its brackets
  std::string port;  ///< empty: the scheme's own

  /// Nothing for "null", and for what is no origin.
  [[nodiscard]] static std::optional<Origin> parse(std::string_view text);
  /// The authority that a request to it has in `Host`, port and all.
  [[nodiscard]] bool is_at(std::string_view authority) const;
  /// Like is_at(), but `localhost`, `127.0.0.1` and `[::1]` are one host: whoever serves one port of this machine.
  [[nodiscard]] bool is_beside(std::string_view authority) const;
  bool operator==(const Origin&) const = default;
};

/// What --cors takes: an origin, one with any port ("http://localhost:*"), or "*" for all.
class OriginPattern {
 public:
  /// Throws std::invalid_argument with words that go behind the value.
  [[nodiscard]] static OriginPattern parse(std::string_view text);
  /// `origin` as the header has it.
  [[nodiscard]] bool fits(std::string_view origin) const;

 private:
  Origin origin_;
  bool any_ = false, any_port_ = false;
};

}  // namespace tapedeck::http
