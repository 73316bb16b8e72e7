#include "http/message/head_scanner.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "http/message/message.h"

namespace tapedeck::http {
namespace {

using base::npos;
constexpr std::string_view line_end = "\r\n";

constexpr std::uint8_t token_bit = 1;   // RFC 9110 §5.6.2
constexpr std::uint8_t value_bit = 2;   // a byte of a field value: visible ASCII, space, tab, obs-text
constexpr std::uint8_t target_bit = 4;  // visible ASCII except '#', and obs-text, which some clients send unencoded
// A byte of a reg-name (RFC 3986), except those that only lists and attacks contain.
constexpr std::uint8_t host_bit = 8;
constexpr std::uint8_t digit_bit = 16;

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (int c = 0; c < 256; ++c) {
    std::uint8_t bits = 0;
    const char byte = static_cast<char>(c);
    if (is_token_byte(byte)) bits |= token_bit;
    if (base::is_digit(byte)) bits |= digit_bit;
    if (is_field_byte(byte)) bits |= value_bit;
    if (c > 0x20 && c != 0x7f && c != '#') bits |= target_bit;
    if (base::is_alnum(byte) || c == '-' || c == '.' || c == '_' || c == '~' || c == '%') bits |= host_bit;
    classes[static_cast<std::size_t>(c)] = bits;
  }
  return classes;
}
constexpr std::array<std::uint8_t, 256> classes = make_classes();

bool all_of_class(std::string_view text, std::uint8_t bit) {
  return std::all_of(text.begin(), text.end(), [bit](char c) { return classes[static_cast<unsigned char>(c)] & bit; });
}

constexpr std::size_t longest_rest = 256;  // maximum length of a request line without its target
constexpr std::size_t status_end = 12;     // length of "HTTP/1.1 200"

bool is_digits(std::string_view text) { return !text.empty() && all_of_class(text, digit_bit); }

using base::is_blank;
using base::trim;

/// Joins a folded header line. Each fold becomes a space (RFC 9112 §5.2).
std::string unfolded(std::string_view line) {
  std::string text;
  for (std::size_t end = line.find(line_end); end != npos; end = line.find(line_end)) {
    text.append(trim(line.substr(0, end))).append(" ");
    line.remove_prefix(end + 2);
  }
  return text.append(trim(line));
}

/// Returns the authority of a target in absolute form; empty for other forms.
std::string_view authority_of(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!equal_no_case(target.substr(0, scheme.size()), scheme)) continue;
    target.remove_prefix(scheme.size());
    return target.substr(0, target.find_first_of("/?"));
  }
  return {};
}

bool is_known_method(std::string_view method) {
  static constexpr std::string_view known[] = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"};
  return std::find(std::begin(known), std::end(known), method) != std::end(known);
}

/// Matches uri-host [ ":" port ] with a host that is not empty.
bool is_host_value(std::string_view value) {
  std::size_t end = 0;
  if (value.starts_with('[')) {
    const std::size_t close = value.find(']');
    if (close == npos || close < 3) return false;
    if (value.substr(1, close - 1).find_first_not_of("0123456789abcdefABCDEF:.") != npos) return false;
    end = close + 1;
  } else {
    end = std::min(value.find(':'), value.size());
    if (end == 0 || !all_of_class(value.substr(0, end), host_bit)) return false;
  }
  const std::string_view rest = value.substr(end);
  if (rest.empty() || rest == ":") return true;
  unsigned port = 0;
  const std::string_view digits = rest.substr(1);
  if (rest[0] != ':' || !is_digits(digits) || digits.size() > 5) return false;
  std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return port <= 65535;
}

}  // namespace

bool HeadScanner::refuse(int status, std::string_view why) {
  refusal_ = Refusal{status, why};
  return false;
}

HeadScanner::State HeadScanner::feed(std::string_view bytes, const HeadLimits& limits) {
  for (;;) {
    const std::size_t end = bytes.find('\n', seen_);
    // A header line of a response may continue on the next line, which the following byte decides. The empty line at
    // the end of the head cannot continue.
    const bool may_fold = kind_ == Kind::response && lines_ > 0 && end != npos && end > line_ + 1;
    if (end == npos || (may_fold && end + 1 == bytes.size())) {
      seen_ = std::min(end, bytes.size());
      return check_partial(bytes, limits) ? State::need_more : State::refused;
    }
    if (end == line_ || bytes[end - 1] != '\r') {
      refuse(400, "a line of the head does not end in CR LF");
      return State::refused;
    }
    seen_ = end + 1;
    if (may_fold && is_blank(bytes[end + 1])) continue;
    const std::string_view line = bytes.substr(line_, end - 1 - line_);
    line_ = end + 1;
    if (line.empty() && lines_ == 0 && begin_ == 0) {
      begin_ = line_;
      continue;
    }
    if (line.empty() && lines_ == 0) {
      refuse(400, "the message begins with an empty line");
      return State::refused;
    }
    if (line.empty()) return check_whole(limits) ? State::complete : State::refused;
    if (!take_line(line, limits)) return State::refused;
  }
}

bool HeadScanner::take_line(std::string_view line, const HeadLimits& limits) {
  const bool first = lines_++ == 0;
  if (first && kind_ == Kind::request && !take_request_line(line, limits)) return false;
  if (first && kind_ == Kind::response && !take_status_line(line)) return false;
  if (line_ - begin_ > limits.head_bytes) return refuse(431, "the head is too large");
  if (lines_ - 1 > limits.header_lines) return refuse(431, "the head has too many header lines");
  if (first) return true;
  return line.find('\n') == npos ? take_header(line) : take_header(unfolded(line));
}

bool HeadScanner::check_partial(std::string_view bytes, const HeadLimits& limits) {
  if (kind_ == Kind::request && lines_ == 0 && bytes.size() > begin_) {
    const char first = bytes[begin_];
    if (!is_token(std::string_view(&first, 1)) && first != '\r') return refuse(400, "this is not an HTTP request");
    if (bytes.size() - begin_ > limits.target_bytes + longest_rest) {
      return refuse(414, "the request target is too long");
    }
  }
  if (bytes.size() - begin_ > limits.head_bytes) return refuse(431, "the head is too large");
  return true;
}

bool HeadScanner::take_version(std::string_view version) {
  if (version == "HTTP/1.1" || version == "HTTP/1.0") {
    facts_.minor_version = version[7] - '0';
    return true;
  }
  const bool shaped = version.size() == 8 && version.starts_with("HTTP/") && version[6] == '.' &&
                      is_digits(version.substr(5, 1)) && is_digits(version.substr(7, 1));
  if (!shaped) return refuse(400, "the HTTP version is malformed");
  return refuse(505, "only HTTP/1.0 and HTTP/1.1 are supported");
}

bool HeadScanner::take_request_line(std::string_view line, const HeadLimits& limits) {
  if (line.size() > limits.target_bytes + longest_rest) return refuse(414, "the request target is too long");
  const std::size_t first = line.find(' ');
  const std::size_t second = first == npos ? npos : line.find(' ', first + 1);
  if (second == npos || line.find(' ', second + 1) != npos) {
    return refuse(400, "the request line is not METHOD TARGET VERSION");
  }
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, second - first - 1);
  if (!is_token(method)) return refuse(400, "the method is malformed");
  if (target.size() > limits.target_bytes) return refuse(414, "the request target is too long");
  if (target.empty() || !all_of_class(target, target_bit)) return refuse(400, "the request target is malformed");
  if (method == "PRI" && target == "*") {
    return refuse(505, "HTTP/2 is not supported: let the client use HTTP/1.1 (curl --http1.1)");
  }
  if (!take_version(line.substr(second + 1))) return false;
  if (method == "CONNECT") {
    return refuse(405, "this is no forward proxy: use its address as the base URL of the client, and no proxy setting");
  }
  if (method == "TRACE") return refuse(405, "this method is not allowed here");
  if (!is_known_method(method)) return refuse(501, "unknown method");
  return take_target(method, target);
}

bool HeadScanner::take_target(std::string_view method, std::string_view target) {
  if (target[0] == '/' || (target == "*" && method == "OPTIONS")) return true;
  const std::string_view authority = authority_of(target);
  if (!authority.empty() && is_host_value(authority)) return is_absolute_ = true;
  return refuse(400, "the request target must be a path or an http URL");
}

bool HeadScanner::take_status_line(std::string_view line) {
  const bool is_shaped = line.size() >= status_end && line[8] == ' ' && is_digits(line.substr(9, 3)) &&
                         (line.size() == status_end || line[status_end] == ' ');
  if (!is_shaped) return refuse(502, "the status line is malformed");
  if (!take_version(line.substr(0, 8))) return refuse(502, "the HTTP version of the response is not 1.0 or 1.1");
  std::from_chars(line.data() + 9, line.data() + 12, facts_.status);
  if (facts_.status < 100 || facts_.status > 599) return refuse(502, "the status code is out of range");
  if (!all_of_class(line.substr(status_end), value_bit))
    return refuse(502, "the reason phrase contains control characters");
  return true;
}

bool HeadScanner::take_header(std::string_view line) {
  if (line[0] == ' ' || line[0] == '\t') return refuse(400, "folded header lines are not supported");
  const std::size_t colon = line.find(':');
  if (colon == npos) return refuse(400, "a header line has no colon");
  std::string_view name = line.substr(0, colon);
  const std::string_view value = trim(line.substr(colon + 1));
  // In responses, space before the colon is removed (RFC 9112 §5.1).
  if (kind_ == Kind::response && is_blank(name.empty() ? ':' : name.back())) name = trim(name);
  if (!is_token(name)) return refuse(400, "a header name is malformed");
  if (!all_of_class(value, value_bit)) return refuse(400, "a header value contains control characters");
  return take_framing(name, value);
}

bool HeadScanner::take_framing(std::string_view name, std::string_view value) {
  switch (name.size()) {
    case 4:
      return kind_ == Kind::response || !equal_no_case(name, "Host") || take_host(value);
    case 6:
      if (kind_ == Kind::response || !equal_no_case(name, "Expect")) return true;
      if (!equal_no_case(value, "100-continue")) return refuse(417, "only Expect: 100-continue is supported");
      facts_.expects_continue = true;
      return true;
    case 10:
      return !equal_no_case(name, "Connection") || take_connection(value);
    case 14:
      return !equal_no_case(name, "Content-Length") || take_content_length(value);
    case 17:
      if (!equal_no_case(name, "Transfer-Encoding")) return true;
      if (has_transfer_encoding_ || !equal_no_case(value, "chunked")) {
        return refuse(400, "Transfer-Encoding must be a single 'chunked'");
      }
      has_transfer_encoding_ = facts_.chunked = true;
      return true;
    default:
      return true;
  }
}

bool HeadScanner::take_host(std::string_view value) {
  if (has_host_) return refuse(400, "there is more than one Host header");
  if (!is_host_value(value)) return refuse(400, "the Host header is empty or malformed");
  has_host_ = true;
  return true;
}

bool HeadScanner::take_content_length(std::string_view value) {
  for (bool more = true; more;) {
    const std::size_t comma = kind_ == Kind::response ? value.find(',') : npos;
    const std::string_view digits = trim(value.substr(0, comma));
    if (!is_digits(digits)) return refuse(400, "Content-Length is not a number");
    std::uint64_t length = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
    if (error != std::errc() || length > (std::uint64_t{1} << 62)) return refuse(413, "Content-Length is out of range");
    if (facts_.content_length) {
      // A response may repeat the same number (RFC 9110 §8.6). A repeated header in a request indicates an attack.
      if (kind_ == Kind::request) return refuse(400, "there is more than one Content-Length header");
      if (*facts_.content_length != length) return refuse(400, "there are different Content-Lengths");
      repeats_length_ = true;
    }
    facts_.content_length = length;
    more = comma != npos;
    value.remove_prefix(more ? comma + 1 : value.size());
  }
  return true;
}

bool HeadScanner::take_connection(std::string_view value) {
  while (!value.empty()) {
    const std::string_view option = trim(base::take_until(value, ','));
    if (!option.empty() && !is_token(option)) return refuse(400, "the Connection header is malformed");
    if (equal_no_case(option, "close")) facts_.says_close = true;
    if (equal_no_case(option, "keep-alive")) facts_.says_keep_alive = true;
  }
  return true;
}

bool HeadScanner::check_whole(const HeadLimits& limits) {
  if (facts_.chunked && facts_.content_length) {
    return refuse(400, "Content-Length and Transfer-Encoding exclude each other");
  }
  if (facts_.chunked && facts_.minor_version == 0) return refuse(400, "HTTP/1.0 does not support Transfer-Encoding");
  if (kind_ == Kind::response) return true;
  if (!has_host_ && facts_.minor_version == 1) return refuse(400, "the Host header is missing");
  if (facts_.content_length.value_or(0) > limits.body_bytes) {
    return refuse(413, "the request body is longer than --max-request-body");
  }
  if (facts_.minor_version == 0) facts_.expects_continue = false;  // RFC 9110 §10.1.1 ignores it in HTTP/1.0
  return true;
}

void HeadScanner::read(std::string_view bytes, Request& into) const {
  std::string_view rest = bytes.substr(begin_, line_ - begin_);
  std::string_view line = rest.substr(0, rest.find(line_end));
  rest.remove_prefix(line.size() + line_end.size());
  into.method = base::take_until(line, ' ');
  std::string_view target = base::take_until(line, ' ');
  into.minor_version = facts_.minor_version;
  into.headers.clear();
  into.target.clear();
  if (is_absolute_) {
    const std::string_view authority = authority_of(target);
    target.remove_prefix(static_cast<std::size_t>(authority.data() - target.data()) + authority.size());
    // An OPTIONS request without a path concerns the whole server (RFC 9112 §3.2.4).
    if (target.empty()) into.target = into.method == "OPTIONS" ? "*" : "/";
    if (target.starts_with('?')) into.target = "/";
    into.headers.add("Host", authority);
  }
  into.target += target;
  read_headers(rest, into.headers);
}

void HeadScanner::read(std::string_view bytes, Response& into) const {
  std::string_view rest = bytes.substr(begin_, line_ - begin_);
  const std::string_view line = rest.substr(0, rest.find(line_end));
  rest.remove_prefix(line.size() + line_end.size());
  into.status = facts_.status;
  into.reason = line.substr(std::min(line.size(), status_end + 1));
  into.headers.clear();
  read_headers(rest, into.headers);
}

/// `rest` ends with the empty line of the head.
void HeadScanner::read_headers(std::string_view rest, Headers& into) const {
  bool has_length = false;
  while (rest != line_end) {
    std::size_t end = rest.find(line_end);
    while (is_blank(rest[end + 2])) end = rest.find(line_end, end + 2);
    std::string_view value = rest.substr(0, end);
    rest.remove_prefix(end + 2);
    const std::string_view name = trim(base::take_until(value, ':'));
    value = trim(value);
    if (is_absolute_ && equal_no_case(name, "Host")) continue;
    if (repeats_length_ && equal_no_case(name, "Content-Length")) {
      if (!std::exchange(has_length, true)) into.add(name, std::to_string(*facts_.content_length));
    } else if (value.find('\n') == npos) {
      into.add(name, value);
    } else {
      into.add(name, trim(unfolded(value)));
    }
  }
}

}  // namespace tapedeck::http
