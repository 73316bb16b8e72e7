#pragma once
// Represents HTTP messages as plain values, byte for byte, without types of a library.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace tapedeck::http {

using base::equal_no_case;  // compares header names (RFC 9110 §5.1)

/// Returns true for a byte that the name of a header or a method may have (a token, RFC 9110 §5.6.2).
[[nodiscard]] constexpr bool is_token_byte(char c) {
  return base::is_alnum(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}
[[nodiscard]] bool is_token(std::string_view text);
/// Returns true for a byte that the value of a header may have: visible, space, tab, or beyond ASCII.
[[nodiscard]] constexpr bool is_field_byte(char c) {
  return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

/// One header. The name keeps the sender's case, but is compared without case. The value has the bytes between the
/// optional white space after the colon and the end of the line, without decoding.
struct Header {
  std::string name;
  std::string value;
  bool operator==(const Header&) const = default;
};

/// Headers in the order in which they were sent, with duplicates.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<Header> lines) : lines_(lines) {}

  void add(std::string_view name, std::string_view value) {
    if (lines_.empty()) lines_.reserve(usual_lines);
    lines_.push_back({std::string(name), std::string(value)});
  }
  /// Replaces all headers with this name by one at the position of the first.
  void set(std::string_view name, std::string_view value);
  /// Removes the headers with this name, and returns their number.
  std::size_t erase(std::string_view name);
  template <class Predicate>
  void erase_if(Predicate&& leaves) {
    std::erase_if(lines_, leaves);
  }
  /// Returns the value of the first header with this name.
  [[nodiscard]] std::optional<std::string_view> first(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> all(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return first(name).has_value(); }

  /// Returns "Name: value\r\n" for each header. Offsets of redactions in headers refer to this text.
  [[nodiscard]] std::string to_text() const;
  /// Parses the result of to_text().
  [[nodiscard]] static Headers from_text(std::string_view text);

  [[nodiscard]] bool empty() const { return lines_.empty(); }
  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  [[nodiscard]] auto begin() const { return lines_.begin(); }
  [[nodiscard]] auto end() const { return lines_.end(); }
  [[nodiscard]] auto begin() { return lines_.begin(); }
  [[nodiscard]] auto end() { return lines_.end(); }
  void clear() { lines_.clear(); }
  bool operator==(const Headers&) const = default;

 private:
  static constexpr std::size_t usual_lines = 8;
  std::vector<Header> lines_;
};

/// A whole request. `target` is the origin form as sent ("/webapi/entry.cgi?api=…"). `body` has no chunk framing, but
/// keeps its Content-Encoding, if it has one.
struct Request {
  std::string method;
  std::string target;
  int minor_version = 1;  ///< 0 or 1, for HTTP/1.0 or HTTP/1.1
  Headers headers;
  std::string body;
};

/// Returns the request line, the headers, and the empty line after them.
[[nodiscard]] std::string head_text(const Request& request);

/// A whole response. `body` has no chunk framing, but keeps its Content-Encoding, if it has one.
struct Response {
  int status = 200;
  std::string reason = "OK";
  Headers headers;
  std::string body;
};

/// Returns false for a header that would break the head in which it is sent. Cassettes from other sources may contain
/// such headers.
[[nodiscard]] bool is_safe(const Header& line);

/// Returns the Content-Type without parameters and surrounding blanks, in the sender's case. Empty if there is none.
[[nodiscard]] std::string_view media_type(const Headers& headers);

/// The status of a response that accepts a WebSocket.
inline constexpr int switching_protocols = 101;
/// Returns false for interim responses (other 1xx) and for numbers that are not an HTTP status.
[[nodiscard]] constexpr bool is_final(int status) {
  return status == switching_protocols || (status >= 200 && status <= 599);
}
/// Returns true if a response with this status can have a body (RFC 9110 §6.4.1).
[[nodiscard]] constexpr bool may_have_body(int status) { return status >= 200 && status != 204 && status != 304; }
/// Returns a text response with the standard reason of the status.
[[nodiscard]] Response text_response(int status, std::string_view text);
/// Returns a response with the text "503 Service Unavailable: why".
[[nodiscard]] Response refusal_response(int status, std::string_view why);
/// Returns the standard reason phrase of a status ("OK", "Bad Gateway"). Empty for an unknown one.
[[nodiscard]] std::string_view reason_phrase(int status);

}  // namespace tapedeck::http
