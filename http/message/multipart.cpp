#include "http/message/multipart.h"

#include <algorithm>

#include "base/text.h"

namespace tapedeck::http {
namespace {

using base::npos;

using base::trim;

/// Removes a parameter's value from the front of `rest` and returns it: a token, or a quoted string with \" and \\.
/// Other backslashes stay, because browsers send Windows paths with them.
std::string take_value(std::string_view& rest) {
  std::string value;
  if (!rest.starts_with('"')) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    value = trim(rest.substr(0, end));
    rest.remove_prefix(end);
    return value;
  }
  std::size_t i = 1;
  for (; i < rest.size() && rest[i] != '"'; ++i) {
    const bool escaped = rest[i] == '\\' && i + 1 < rest.size() && (rest[i + 1] == '"' || rest[i + 1] == '\\');
    if (escaped) ++i;
    value.push_back(rest[i]);
  }
  rest.remove_prefix(std::min(i + 1, rest.size()));
  return value;
}

/// Returns the named parameter of a header value such as `form-data; name="file"; filename="a.txt"`.
std::optional<std::string> parameter(std::string_view value, std::string_view wanted) {
  std::string_view rest = value.substr(std::min(value.find(';'), value.size()));
  while (rest.starts_with(';')) {
    rest.remove_prefix(1);
    const std::size_t equals = rest.find_first_of("=;");
    if (equals == npos) break;
    const std::string_view name = trim(rest.substr(0, equals));
    const bool has_value = rest[equals] == '=';
    rest.remove_prefix(equals + (has_value ? 1 : 0));
    rest = base::trim_front(rest);
    std::string found = has_value ? take_value(rest) : std::string();
    if (equal_no_case(name, wanted)) return found;
    rest = rest.substr(std::min(rest.find(';'), rest.size()));
  }
  return std::nullopt;
}

struct Delimiter {
  std::size_t begin = npos;  ///< end of the part before it
  std::size_t end = npos;    ///< position after its line, or after "--"
  bool closing = false;
};

/// Returns the next line at or after `from` that is "--boundary" alone or begins with "--boundary--".
std::optional<Delimiter> find_delimiter(std::string_view body, std::string_view marker, std::size_t from) {
  for (std::size_t at = body.find(marker, from); at != npos; at = body.find(marker, at + 1)) {
    const bool at_start = at == 0;
    if (!at_start && (at < from + 2 || body.substr(at - 2, 2) != "\r\n")) continue;
    Delimiter found;
    found.begin = at_start ? 0 : at - 2;
    std::size_t end = at + marker.size();
    found.closing = body.substr(end, 2) == "--";
    if (found.closing) {
      found.end = end + 2;
      return found;
    }
    while (end < body.size() && (body[end] == ' ' || body[end] == '\t')) ++end;
    if (body.substr(end, 2) != "\r\n") continue;
    found.end = end + 2;
    return found;
  }
  return std::nullopt;
}

/// Returns the part between two delimiters, or nothing if its header section has no end.
std::optional<MultipartField> parse_part(std::string_view body, std::size_t begin, std::size_t end) {
  const std::string_view part = body.substr(begin, end - begin);
  std::size_t head = 0;
  std::size_t content = 2;
  if (!part.starts_with("\r\n")) {
    head = part.find("\r\n\r\n");
    if (head == npos) return std::nullopt;
    content = head + 4;
  }
  const Headers headers = Headers::from_text(part.substr(0, head));
  const std::string_view disposition = headers.first("Content-Disposition").value_or("");
  MultipartField field;
  field.name = parameter(disposition, "name").value_or("");
  field.filename = parameter(disposition, "filename");
  field.head = Span{begin, head};
  field.content = Span{begin + content, part.size() - content};
  return field;
}

}  // namespace

std::optional<std::string> multipart_boundary(const Headers& headers) {
  return equal_no_case(media_type(headers), "multipart/form-data") ? boundary_of(headers) : std::nullopt;
}

std::optional<std::string> boundary_of(const Headers& headers) {
  std::optional<std::string> boundary = parameter(headers.first("Content-Type").value_or(""), "boundary");
  if (!boundary || boundary->empty() || boundary->size() > 70) return std::nullopt;
  return boundary;
}

std::optional<std::vector<MultipartField>> parse_multipart(std::string_view body, std::string_view boundary) {
  const std::string marker = "--" + std::string(boundary);
  std::vector<MultipartField> fields;
  std::optional<Delimiter> before = find_delimiter(body, marker, 0);
  while (before && !before->closing) {
    // Between the delimiters of an empty part, there is only one line break, which belongs to both.
    const std::optional<Delimiter> after = find_delimiter(body, marker, before->end - 2);
    if (!after || after->begin < before->end) return std::nullopt;
    std::optional<MultipartField> field = parse_part(body, before->end, after->begin);
    if (!field) return std::nullopt;
    fields.push_back(std::move(*field));
    before = after;
  }
  if (!before) return std::nullopt;
  return fields;
}

}  // namespace tapedeck::http
