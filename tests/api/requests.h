#pragma once
// Makes requests for tests.

#include <string>
#include <string_view>
#include <vector>

#include "api/request_key.h"

namespace tapedeck::api {

inline http::Request get(std::string_view target) { return {"GET", std::string(target), 1, {}, {}}; }

inline http::Request post_form(std::string_view target, std::string_view body) {
  return {"POST", std::string(target), 1,
          http::Headers{{"Content-Type", "application/x-www-form-urlencoded; charset=UTF-8"}}, std::string(body)};
}

inline http::Request post_multipart(std::string_view target, std::string_view boundary, std::string_view file) {
  std::string body;
  const auto field = [&body, boundary](std::string_view head, std::string_view content) {
    body.append("--").append(boundary).append("\r\nContent-Disposition: form-data; ").append(head);
    body.append("\r\n\r\n").append(content).append("\r\n");
  };
  field("name=\"api\"", "SVC.FileStation.Upload");
  field("name=\"version\"", "2");
  field("name=\"method\"", "upload");
  field("name=\"path\"", "/home/a b");
  field("name=\"file\"; filename=\"x.txt\"", file);
  body.append("--").append(boundary).append("--\r\n");
  return {"POST", std::string(target), 1,
          http::Headers{{"Content-Type", "multipart/form-data; boundary=" + std::string(boundary)}}, body};
}

/// Returns a call of SVC.X get, version 1, followed by this query.
inline http::Request call_with(std::string_view query) {
  return get("/webapi/entry.cgi?api=SVC.X&version=1&method=get&" + std::string(query));
}

inline std::string key(const http::Request& request, const std::vector<Hole>& holes = {}, std::string_view base = {}) {
  return KeyPolicy::current().key(request, base, holes).text;
}

/// Returns a hole over the first occurrence of `text` in this part.
inline Hole hole_over(const http::Request& request, RequestPart part, std::string_view text, std::string_view label) {
  const std::string& whole = part == RequestPart::target ? request.target : request.body;
  return {part, {whole.find(text), text.size()}, std::string(label)};
}

}  // namespace tapedeck::api
