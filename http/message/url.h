#pragma once
// The device's base URL and the address to listen on.

#include <cstdint>
#include <string>
#include <string_view>

namespace tapedeck::http {

/// An http(s) base URL: "https://nas.example:5001/dsm". User info, query and fragment are refused.
struct BaseUrl {
  bool tls = false;
  std::string host;        ///< without the brackets of an IPv6 literal
  std::uint16_t port = 0;  ///< the scheme's default when the URL has none
  std::string path;        ///< "" or "/dsm": no slash at the end

  /// Throws std::invalid_argument with one clear line, which never repeats user info.
  [[nodiscard]] static BaseUrl parse(std::string_view text);
  /// "https://nas.example:5001": the default port is left out, an IPv6 host has brackets.
  [[nodiscard]] std::string origin() const;
  /// The Host header's value.
  [[nodiscard]] std::string authority() const;
};

/// HOST:PORT, with an IPv6 host in brackets; port 0 takes any free one.
struct Endpoint {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;

  /// Throws std::invalid_argument with one clear line.
  [[nodiscard]] static Endpoint parse(std::string_view text);
  [[nodiscard]] bool is_loopback() const;  ///< 127.0.0.0/8, ::1 or "localhost"
  [[nodiscard]] std::string to_string() const;
};

}  // namespace tapedeck::http
