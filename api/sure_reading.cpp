#include "api/sure_reading.h"

#include <algorithm>
#include <string>

#include "api/json_spans.h"
#include "api/request_params.h"
#include "base/text.h"
#include "http/message/multipart.h"
#include "http/message/urlencoded.h"

namespace tapedeck::api {
namespace {

using base::npos;

constexpr std::string_view own_names[] = {"api", "version", "method", "compound"};

bool is_token(char c) { return base::is_alnum(c) || c == '_' || c == '-' || c == '.' || c == '[' || c == ']'; }

/// Removes the value of a parameter from the front of `rest`, a token or a quoted string without escapes. Returns false
/// for any other value.
bool skip_value(std::string_view& rest) {
  const bool is_quoted = rest.starts_with('"');
  const std::size_t end = is_quoted ? rest.find('"', 1) : std::min(rest.find(';'), rest.size());
  if (end == npos) return false;
  const std::string_view value = rest.substr(0, end);
  rest.remove_prefix(end + (is_quoted ? 1 : 0));
  if (!is_quoted) return !value.empty() && std::all_of(value.begin(), value.end(), is_token);
  return value.find_first_of("\\%\r\n") == npos && value.find('\0') == npos;
}

bool take(std::string_view& rest, std::string_view word) {
  if (!base::equal_no_case(rest.substr(0, word.size()), word)) return false;
  rest.remove_prefix(word.size());
  return true;
}

/// Returns true for `form-data; name="x"` and `form-data; name="x"; filename="y"`.
bool is_sure_disposition(std::string_view value) {
  const auto next = [&value](std::string_view name) {
    if (!take(value, ";")) return false;
    value = base::trim_front(value);
    return take(value, name) && skip_value(value);
  };
  if (!take(value, "form-data") || !next("name=")) return false;
  return value.empty() || (next("filename=") && value.empty());
}

bool has_sure_charset(std::string_view type) {
  const std::string folded = base::fold(type);
  const std::size_t at = folded.find("charset");
  if (at == npos) return true;
  std::string_view charset = base::trim(std::string_view(folded).substr(at + 7), " =\"");
  charset = charset.substr(0, charset.find_first_of(" ;\""));
  return charset == "utf-8" || charset == "us-ascii" || charset == "iso-8859-1";
}

/// Returns true for a header of a multipart field that does not change how its content is read.
bool is_harmless(std::string_view name, std::string_view value) {
  const std::string folded = base::fold(value);
  if (base::equal_no_case(name, "Content-Length")) return true;
  if (base::equal_no_case(name, "Content-Type")) return !folded.starts_with("multipart") && has_sure_charset(value);
  const bool is_encoding = base::equal_no_case(name, "Content-Transfer-Encoding");
  return is_encoding && (folded == "7bit" || folded == "8bit" || folded == "binary");
}

/// Returns true for the headers of a multipart field that have one Content-Disposition, and nothing that changes how
/// its content is read.
bool is_sure_head(std::string_view head) {
  std::size_t dispositions = 0;
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const std::size_t colon = line.find(':');
    if (colon == npos || line.find_first_of("\r\n") != npos) return false;
    const std::string_view name = line.substr(0, colon), value = base::trim(line.substr(colon + 1), " \t");
    const bool is_disposition = base::equal_no_case(name, "Content-Disposition");
    if (is_disposition ? !is_sure_disposition(value) : !is_harmless(name, value)) return false;
    dispositions += is_disposition ? 1 : 0;
  }
  return dispositions == 1;
}

/// Returns true if the boundary occurs only in delimiters, and nothing is before the first and behind the last one.
bool is_sure_multipart(std::string_view body, std::string_view type) {
  const std::string folded = base::fold(type);
  const std::size_t first = folded.find("boundary=");
  if (first == npos || folded.find("boundary", first + 1) != npos) return false;
  const std::string_view boundary = base::trim(type.substr(first + 9), " \"");
  if (boundary.empty() || !std::all_of(boundary.begin(), boundary.end(), is_token)) return false;
  const std::string marker = "--" + std::string(boundary);
  if (!body.starts_with(marker + "\r\n")) return false;
  for (std::size_t at = marker.size() + 2;;) {
    const std::size_t head_end = body.find("\r\n\r\n", at);
    if (head_end == npos || !is_sure_head(body.substr(at, head_end - at))) return false;
    const std::size_t content = head_end + 4, next = body.find(marker, content);
    if (next == npos || next < content + 2 || body.substr(next - 2, 2) != "\r\n") return false;
    const std::string_view behind = body.substr(next + marker.size());
    if (behind == "--" || behind == "--\r\n") return true;
    if (!behind.starts_with("\r\n")) return false;
    at = next + marker.size() + 2;
  }
}

/// Returns true for a JSON list in which nothing names a call. Escapes could hide such a name.
bool is_list_without_calls(std::string_view body) {
  if (body.size() > longest_sniffed || !body.starts_with('[') || !is_json_text(body)) return false;
  const auto names = [body](std::string_view own) { return body.find("\"" + std::string(own) + "\"") != npos; };
  return body.find("\\u") == npos && std::none_of(std::begin(own_names), std::end(own_names), names);
}

}  // namespace

bool is_sure_path(std::string_view path) {
  std::string decoded = http::percent_decode(path, false);
  // What follows a script is data, unless it leads out of it.
  const std::size_t script = decoded.find(".cgi/");
  if (script != npos && http::percent_decode(decoded, false).find("..") == npos) decoded.resize(script);
  return std::none_of(decoded.begin(), decoded.end(), [](char c) {
    return (c >= '\0' && c < ' ') || c == '\x7F' || c == ';' || c == '\\' || c == '%';
  });
}

bool may_be_script(std::string_view path) {
  const std::string decoded = base::fold(http::percent_decode(http::percent_decode(path, false), false));
  const auto has = [&decoded](std::string_view text) { return decoded.find(text) != npos; };
  return has("webapi") || has(".cgi") || has(".php");
}

bool resembles_own_name(std::string_view name) {
  std::string letters;
  constexpr std::size_t longest = 64;
  for (const char c : name.substr(0, longest)) {
    if (is_plain_name({&c, 1})) letters += base::fold(c);
  }
  const auto is_like = [&](std::string_view own) { return letters == own && name != own; };
  return std::any_of(std::begin(own_names), std::end(own_names), is_like);
}

bool is_plain_name(std::string_view name) {
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return base::is_alnum(c) || c == '_' || c == '-' || c == '.'; });
}

bool is_sure_query(std::string_view text) {
  for (std::size_t at = text.find(';'); at != npos; at = text.find(';', at + 1)) {
    const std::string_view rest = text.substr(at + 1);
    const auto begins = [&](std::string_view own) {
      return base::equal_no_case(rest.substr(0, own.size()), own) && rest.substr(own.size()).starts_with('=');
    };
    if (std::any_of(std::begin(own_names), std::end(own_names), begins)) return false;
  }
  return true;
}

bool is_sure_body(const http::Request& request, bool reads_as_parameters) {
  if (request.body.empty()) return true;
  const std::vector<std::string_view> types = request.headers.all("Content-Type");
  if (types.size() > 1 || request.headers.contains("Content-Encoding")) return false;
  const std::string_view type = types.empty() ? std::string_view() : types.front();
  if (!has_sure_charset(type)) return false;
  const std::string_view begin = base::trim_front(std::string_view(request.body).substr(0, 64));
  if (http::is_form(request.headers)) {
    const bool is_other = begin.starts_with('{') || begin.starts_with('[') || begin.starts_with("--");
    return !is_other && is_sure_query(request.body);
  }
  if (base::fold(http::media_type(request.headers)).starts_with("multipart/")) {
    return http::multipart_boundary(request.headers) && is_sure_multipart(request.body, type);
  }
  if (!reads_as_parameters) return is_list_without_calls(request.body);
  return begin.starts_with('{') || is_sure_query(request.body);
}

}  // namespace tapedeck::api
