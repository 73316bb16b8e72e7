#include "tools/diff/response_diff.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "api/envelope.h"
#include "base/text.h"
#include "tools/diff/json_diff.h"

namespace tapedeck::tools {
namespace {

using scrubbers::InteractionRecord;

constexpr std::size_t longest_shown = 60;

std::string start_of(const std::string& body) {
  std::string text = "\"" + body.substr(0, body.find('\n')).substr(0, longest_shown) + "\"";
  return std::to_string(body.size()) + " bytes " + text;
}

/// Returns a cookie without the moment at which it expires, which differs in each response.
std::string without_moment(std::string_view cookie) {
  std::string text;
  while (!cookie.empty()) {
    const std::string_view part = base::trim(base::take_until(cookie, ';'));
    const bool is_moment = base::fold(part.substr(0, part.find('='))) == "expires";
    text.append(text.empty() ? "" : "; ").append(is_moment ? "expires" : part);
  }
  return text;
}

std::string joined(const http::Headers& headers, std::string_view name) {
  std::string text;
  for (const std::string_view value : headers.all(name)) {
    text.append(text.empty() ? "" : ", ");
    name == "set-cookie" ? text.append(without_moment(value)) : text.append(value);
  }
  return text;
}

void compare_headers(const InteractionRecord& a, const InteractionRecord& b, std::vector<Change>& changes) {
  std::set<std::string> names;
  for (const InteractionRecord* record : {&a, &b}) {
    for (const http::Header& line : record->response.headers) {
      if (is_compared_header(line.name)) names.insert(base::fold(line.name));
    }
  }
  for (const std::string& name : names) {
    std::string before = joined(a.response.headers, name), after = joined(b.response.headers, name);
    if (before != after) changes.push_back({Change::Kind::header, name, std::move(before), std::move(after), {}, 1});
  }
}

std::string outcome_of(const std::string& body) {
  const auto verdict = api::verdict(body);
  if (!verdict) return "no envelope";
  if (verdict->success) return "success";
  return verdict->error_code ? std::to_string(*verdict->error_code) : "an error without a code";
}

void compare_bodies(const std::string& a, const std::string& b, std::vector<Change>& changes) {
  if (a == b) return;
  const auto left = exact_json(a), right = exact_json(b);
  if (!left || !right) {
    changes.push_back({Change::Kind::body, "", start_of(a), start_of(b), {}, 1});
    return;
  }
  std::string before = outcome_of(a), after = outcome_of(b);
  if (before != after) {
    changes.push_back({Change::Kind::error_code, "", std::move(before), std::move(after), {}, 1});
    return;
  }
  const std::vector<Change> found = json_changes(*left, *right);
  changes.insert(changes.end(), found.begin(), found.end());
}

}  // namespace

std::vector<Change> response_changes(const InteractionRecord& a, const InteractionRecord& b) {
  std::vector<Change> changes;
  const bool is_complete = a.completeness == api::Completeness::complete;
  if (is_complete != (b.completeness == api::Completeness::complete)) {
    changes.push_back({Change::Kind::completeness,
                       "",
                       std::string(to_string(a.completeness)),
                       std::string(to_string(b.completeness)),
                       {},
                       1});
    return changes;
  }
  if (!is_complete) return changes;
  const int before = a.response.status, after = b.response.status;
  if (before != after) {
    changes.push_back({Change::Kind::status, "", std::to_string(before), std::to_string(after), {}, 1});
  }
  compare_headers(a, b, changes);
  compare_bodies(a.response.body, b.response.body, changes);
  return changes;
}

bool is_compared_header(std::string_view name) {
  static constexpr std::array<std::string_view, 14> noisy{
      "date",           "etag",          "last-modified", "expires",     "age",
      "content-length", "server-timing", "server",        "keep-alive",  "transfer-encoding",
      "connection",     "content-md5",   "via",           "x-request-id"};
  const std::string folded = base::fold(name);
  return std::find(noisy.begin(), noisy.end(), folded) == noisy.end();
}

http::Headers compared_headers(const http::Headers& headers) {
  http::Headers kept = headers;
  kept.erase_if([](const http::Header& line) { return !is_compared_header(line.name); });
  return kept;
}

bool is_same(const InteractionRecord& a, const InteractionRecord& b) {
  const http::Response &left = a.response, &right = b.response;
  if (left.status != right.status || a.completeness != b.completeness || left.body != right.body) return false;
  return left.headers == right.headers || compared_headers(left.headers) == compared_headers(right.headers);
}

}  // namespace tapedeck::tools
