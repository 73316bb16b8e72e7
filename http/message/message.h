#pragma once
// HTTP messages as plain values: what was said, byte for byte, with no library's types in it.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace tapedeck::http {

using base::equal_no_case;  // as header names compare (RFC 9110 §5.1)

/// A byte of a token (RFC 9110 §5.6.2): a name of a header or of a method.
[[nodiscard]] constexpr bool is_token_byte(char c) {
  return base::is_alnum(c) || std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}
[[nodiscard]] bool is_token(std::string_view text);
/// A byte that a field value may have: visible, space, tab, or beyond ASCII.
[[nodiscard]] constexpr bool is_field_byte(char c) {
  return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
}

/// One header line. Names keep the sender's case and compare without it; values are the bytes between the optional
/// white space after the colon and the end of the line, never decoded.
struct Header {
  std::string name;
  std::string value;
  bool operator==(const Header&) const = default;
};

/// Header lines in the order in which they came; repeated names stay repeated.
class Headers {
 public:
  Headers() = default;
  Headers(std::initializer_list<Header> lines) : lines_(lines) {}

  void add(std::string_view name, std::string_view value) {
    if (lines_.empty()) lines_.reserve(usual_lines);
    lines_.push_back({std::string(name), std::string(value)});
  }
  /// Replaces every line of that name by one, at the place of the first.
  void set(std::string_view name, std::string_view value);
  /// Returns how many lines were taken out.
  std::size_t erase(std::string_view name);
  template <class Predicate>
  void erase_if(Predicate&& leaves) {
    std::erase_if(lines_, leaves);
  }
  /// The value of the first line of that name.
  [[nodiscard]] std::optional<std::string_view> first(std::string_view name) const;
  [[nodiscard]] std::vector<std::string_view> all(std::string_view name) const;
  [[nodiscard]] bool contains(std::string_view name) const { return first(name).has_value(); }

  /// "Name: value\r\n" for each line: the text in which redaction offsets of a header part count.
  [[nodiscard]] std::string to_text() const;
  /// The inverse of to_text().
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

/// A whole request. `target` is the origin form as sent ("/webapi/entry.cgi?api=…"); `body` is without chunk framing,
/// but still in its Content-Encoding, if it has one.
struct Request {
  std::string method;
  std::string target;
  int minor_version = 1;  ///< HTTP/1.0 or HTTP/1.1
  Headers headers;
  std::string body;
};

/// The request line, the header lines, and the empty line behind them.
[[nodiscard]] std::string head_text(const Request& request);

/// A whole answer. `body` is without chunk framing, but still in its Content-Encoding, if it has one.
struct Response {
  int status = 200;
  std::string reason = "OK";
  Headers headers;
  std::string body;
};

/// False for a line that would break the head it is sent in, as in a stranger's cassette.
[[nodiscard]] bool is_safe(const Header& line);

/// The Content-Type without its parameters and the blanks around it, in the sender's case; empty without one.
[[nodiscard]] std::string_view media_type(const Headers& headers);

/// Returns false for a response that only announces another one (1xx), and for a status that is not one of HTTP's.
[[nodiscard]] constexpr bool is_final(int status) { return status >= 200 && status <= 599; }
/// Returns true if a response with this status can have a body (RFC 9110 §6.4.1).
[[nodiscard]] constexpr bool may_have_body(int status) { return status >= 200 && status != 204 && status != 304; }
/// A response of our own with that text and its standard reason.
[[nodiscard]] Response text_response(int status, std::string_view text);
/// The same with the text "503 Service Unavailable: why".
[[nodiscard]] Response refusal_response(int status, std::string_view why);
/// The standard reason phrase of a status code ("OK", "Bad Gateway"); empty for an unknown one.
[[nodiscard]] std::string_view reason_phrase(int status);

}  // namespace tapedeck::http
