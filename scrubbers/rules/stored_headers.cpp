#include "scrubbers/rules/stored_headers.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "scrubbers/text/text_forms.h"

namespace tapedeck::scrubbers {
namespace {

bool is_stored_in_requests(std::string_view name) {
  static constexpr std::array<std::string_view, 10> names{
      "content-type",     "cookie",       "origin",      "referer",       "user-agent",
      "x-requested-with", "x-syno-token", "x-syno-hash", "authorization", "range"};
  const bool family = name.starts_with("accept") || name.starts_with("if-") || name.starts_with("sec-fetch-");
  return family || std::find(names.begin(), names.end(), name) != names.end();
}

bool is_left_out_of_answers(std::string_view name) {
  static constexpr std::array<std::string_view, 12> names{"connection",
                                                          "keep-alive",
                                                          "proxy-authenticate",
                                                          "proxy-authorization",
                                                          "proxy-connection",
                                                          "te",
                                                          "trailer",
                                                          "transfer-encoding",
                                                          "upgrade",
                                                          "content-encoding",
                                                          "content-length",
                                                          "date"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Connection names further lines that are for one hop alone (RFC 9110 §7.6.1).
bool is_named_by(const std::vector<std::string_view>& connection_lines, std::string_view folded_name) {
  for (const std::string_view line : connection_lines) {
    std::string list = "," + fold(line) + ",";
    list.erase(std::remove(list.begin(), list.end(), ' '), list.end());
    if (list.find("," + std::string(folded_name) + ",") != std::string::npos) return true;
  }
  return false;
}

}  // namespace

http::Headers stored_request_headers(const http::Headers& headers) {
  http::Headers stored;
  for (const http::Header& line : headers) {
    if (is_stored_in_requests(fold(line.name))) stored.add(line.name, line.value);
  }
  return stored;
}

http::Headers stored_answer_headers(const http::Headers& headers) {
  http::Headers stored;
  const std::vector<std::string_view> connection = headers.all("Connection");
  for (const http::Header& line : headers) {
    const std::string name = fold(line.name);
    if (!is_left_out_of_answers(name) && !is_named_by(connection, name)) stored.add(line.name, line.value);
  }
  return stored;
}

http::Headers safe_headers(const http::Headers& headers) {
  http::Headers safe;
  if (const auto type = headers.first("Content-Type")) safe.add("Content-Type", *type);
  return safe;
}

}  // namespace tapedeck::scrubbers
