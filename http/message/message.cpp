#include "http/message/message.h"

#include <algorithm>
#include <utility>

namespace tapedeck::http {

void Headers::set(std::string_view name, std::string_view value) {
  const auto named = [name](const Header& line) { return equal_no_case(line.name, name); };
  const auto first = std::find_if(lines_.begin(), lines_.end(), named);
  if (first == lines_.end()) {
    add(name, value);
    return;
  }
  first->value = value;
  lines_.erase(std::remove_if(first + 1, lines_.end(), named), lines_.end());
}

std::size_t Headers::erase(std::string_view name) {
  return std::erase_if(lines_, [name](const Header& line) { return equal_no_case(line.name, name); });
}

std::optional<std::string_view> Headers::first(std::string_view name) const {
  for (const Header& line : lines_) {
    if (equal_no_case(line.name, name)) return line.value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Headers::all(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const Header& line : lines_) {
    if (equal_no_case(line.name, name)) values.emplace_back(line.value);
  }
  return values;
}

std::string Headers::to_text() const {
  std::size_t size = 0;
  for (const Header& line : lines_) size += line.name.size() + line.value.size() + 4;
  std::string text;
  text.reserve(size);
  for (const Header& line : lines_) text.append(line.name).append(": ").append(line.value).append("\r\n");
  return text;
}

Headers Headers::from_text(std::string_view text) {
  Headers headers;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find("\r\n"), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 2, text.size()));
    const std::size_t colon = std::min(line.find(':'), line.size());
    std::string_view value = line.substr(std::min(colon + 1, line.size()));
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (!line.empty()) headers.add(line.substr(0, colon), value);
  }
  return headers;
}

bool is_token(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_token_byte); }

bool is_safe(const Header& line) {
  const auto is_name_byte = [](char c) { return c > ' ' && c < 0x7f && c != ':'; };
  return !line.name.empty() && std::all_of(line.name.begin(), line.name.end(), is_name_byte) &&
         std::all_of(line.value.begin(), line.value.end(), is_field_byte);
}

std::string head_text(const Request& request) {
  const std::string version = " HTTP/1." + std::to_string(request.minor_version) + "\r\n";
  return request.method + " " + request.target + version + request.headers.to_text() + "\r\n";
}

Response text_response(int status, std::string_view text) {
  return {
      status, std::string(reason_phrase(status)), {{"Content-Type", "text/plain; charset=utf-8"}}, std::string(text)};
}

Response refusal_response(int status, std::string_view why) {
  const std::string reason(reason_phrase(status));
  return text_response(status, std::to_string(status) + " " + reason + ": " + std::string(why) + "\n");
}

std::string_view media_type(const Headers& headers) {
  const std::string_view type = headers.first("Content-Type").value_or("");
  return base::trim(type.substr(0, type.find(';')));
}

std::string_view reason_phrase(int status) {
  // The registered phrases (RFC 9110 §15 and the IANA registry).
  static constexpr std::pair<int, std::string_view> phrases[] = {
      {100, "Continue"},
      {101, "Switching Protocols"},
      {103, "Early Hints"},
      {200, "OK"},
      {201, "Created"},
      {202, "Accepted"},
      {203, "Non-Authoritative Information"},
      {204, "No Content"},
      {205, "Reset Content"},
      {206, "Partial Content"},
      {207, "Multi-Status"},
      {300, "Multiple Choices"},
      {301, "Moved Permanently"},
      {302, "Found"},
      {303, "See Other"},
      {304, "Not Modified"},
      {307, "Temporary Redirect"},
      {308, "Permanent Redirect"},
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {403, "Forbidden"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {406, "Not Acceptable"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {410, "Gone"},
      {411, "Length Required"},
      {412, "Precondition Failed"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {415, "Unsupported Media Type"},
      {416, "Range Not Satisfiable"},
      {417, "Expectation Failed"},
      {421, "Misdirected Request"},
      {422, "Unprocessable Content"},
      {426, "Upgrade Required"},
      {428, "Precondition Required"},
      {429, "Too Many Requests"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {502, "Bad Gateway"},
      {503, "Service Unavailable"},
      {504, "Gateway Timeout"},
      {505, "HTTP Version Not Supported"},
      {507, "Insufficient Storage"},
      {511, "Network Authentication Required"},
  };
  const auto found =
      std::lower_bound(std::begin(phrases), std::end(phrases), status,
                       [](const std::pair<int, std::string_view>& row, int wanted) { return row.first < wanted; });
  return found != std::end(phrases) && found->first == status ? found->second : std::string_view();
}

}  // namespace tapedeck::http
