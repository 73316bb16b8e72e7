#include "tools/diff/compared_answer.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace tapedeck::tools {

ComparedAnswer compared(const cassettes::FullInteraction& full) {
  ComparedAnswer answer;
  answer.status = full.record.response.status;
  answer.headers = full.record.response.headers;
  answer.body = full.record.response.body;
  answer.at_us = full.record.ended_us;
  answer.complete = full.record.completeness == api::Completeness::complete;
  if (!answer.complete) answer.state = to_string(full.record.completeness);
  return answer;
}

bool is_compared_header(std::string_view name) {
  static constexpr std::array<std::string_view, 15> noisy{
      "date",          "etag",   "last-modified", "expires",           "age",        "set-cookie",  "content-length",
      "server-timing", "server", "keep-alive",    "transfer-encoding", "connection", "content-md5", "via",
      "x-request-id"};
  const std::string folded = base::fold(name);
  return std::find(noisy.begin(), noisy.end(), folded) == noisy.end();
}

http::Headers compared_headers(const http::Headers& headers) {
  http::Headers kept = headers;
  kept.erase_if([](const http::Header& line) { return !is_compared_header(line.name); });
  return kept;
}

bool is_same(const ComparedAnswer& a, const ComparedAnswer& b) {
  if (a.status != b.status || a.complete != b.complete || a.body != b.body) return false;
  return a.headers == b.headers || compared_headers(a.headers) == compared_headers(b.headers);
}

}  // namespace tapedeck::tools
