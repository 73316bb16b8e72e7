#pragma once
// Parses the base URL of the device and addresses to listen on.

#include <cstdint>
#include <string>
#include <string_view>

namespace tapedeck::http {

/// An http or https base URL: "https://nas.example:5001/dsm". It has no user info, query, or fragment.
struct BaseUrl {
  bool tls = false;
  std::string host;        ///< without the brackets of an IPv6 literal
  std::uint16_t port = 0;  ///< the default port of the scheme if the URL has none
  std::string path;        ///< "" or "/dsm", without a slash at the end

  /// Throws std::invalid_argument with one line that does not repeat user info.
  [[nodiscard]] static BaseUrl parse(std::string_view text);
  /// Returns "https://nas.example:5001", without the default port, and with brackets around an IPv6 address.
  [[nodiscard]] std::string origin() const;
  /// Returns the value for the Host header.
  [[nodiscard]] std::string authority() const;
};

/// An address in the form HOST:PORT, with brackets around an IPv6 address. Port 0 means any free port.
struct Endpoint {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;

  /// Throws std::invalid_argument with one line.
  [[nodiscard]] static Endpoint parse(std::string_view text);
  [[nodiscard]] bool is_loopback() const;  ///< Returns true for 127.0.0.0/8, ::1, and "localhost".
  [[nodiscard]] std::string to_string() const;
};

}  // namespace tapedeck::http
