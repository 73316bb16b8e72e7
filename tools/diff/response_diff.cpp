#include "tools/diff/response_diff.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "api/envelope.h"
#include "api/json_patch.h"
#include "base/text.h"
#include "tools/diff/json_diff.h"

namespace tapedeck::tools {
namespace {

constexpr std::size_t longest_shown = 60;

std::string start_of(const std::string& body) {
  std::string text = "\"" + body.substr(0, body.find('\n')).substr(0, longest_shown) + "\"";
  return std::to_string(body.size()) + " bytes " + text;
}

std::string joined(const http::Headers& headers, std::string_view name) {
  std::string text;
  for (const std::string_view value : headers.all(name)) text.append(text.empty() ? "" : ", ").append(value);
  return text;
}

void compare_headers(const ComparedResponse& a, const ComparedResponse& b, std::vector<Change>& changes) {
  std::set<std::string> names;
  for (const ComparedResponse* response : {&a, &b}) {
    for (const http::Header& line : response->headers) {
      if (is_compared_header(line.name)) names.insert(base::fold(line.name));
    }
  }
  for (const std::string& name : names) {
    std::string before = joined(a.headers, name), after = joined(b.headers, name);
    if (before != after) changes.push_back({Change::Kind::header, name, std::move(before), std::move(after), {}, 1});
  }
}

std::string outcome_of(const std::string& body) {
  const auto verdict = api::verdict(body);
  if (!verdict) return "no envelope";
  if (verdict->success) return "success";
  return verdict->error_code ? std::to_string(*verdict->error_code) : "an error without a code";
}

/// Returns nothing for text that is not JSON or is nested so deeply that parsing could overflow the stack.
std::optional<nlohmann::json> json_of(const std::string& body) {
  if (!api::is_json(body)) return std::nullopt;
  auto json = nlohmann::json::parse(body, nullptr, false);
  if (json.is_discarded()) return std::nullopt;
  return json;
}

void compare_bodies(const ComparedResponse& a, const ComparedResponse& b, std::vector<Change>& changes) {
  if (a.body == b.body) return;
  const auto left = json_of(a.body), right = json_of(b.body);
  if (!left || !right) {
    changes.push_back({Change::Kind::body, "", start_of(a.body), start_of(b.body), {}, 1});
    return;
  }
  std::string before = outcome_of(a.body), after = outcome_of(b.body);
  if (before != after) {
    changes.push_back({Change::Kind::error_code, "", std::move(before), std::move(after), {}, 1});
    return;
  }
  const std::vector<Change> found = json_changes(*left, *right);
  changes.insert(changes.end(), found.begin(), found.end());
}

}  // namespace

std::vector<Change> response_changes(const ComparedResponse& a, const ComparedResponse& b) {
  std::vector<Change> changes;
  if (a.complete != b.complete) {
    changes.push_back(
        {Change::Kind::completeness, "", a.complete ? "complete" : a.state, b.complete ? "complete" : b.state, {}, 1});
    return changes;
  }
  if (!a.complete) return changes;
  if (a.status != b.status) {
    changes.push_back({Change::Kind::status, "", std::to_string(a.status), std::to_string(b.status), {}, 1});
  }
  compare_headers(a, b, changes);
  compare_bodies(a, b, changes);
  return changes;
}

ComparedResponse compared(const cassettes::FullInteraction& full) {
  ComparedResponse response;
  response.status = full.record.response.status;
  response.headers = full.record.response.headers;
  response.body = full.record.response.body;
  response.at_us = full.record.ended_us;
  response.complete = full.record.completeness == api::Completeness::complete;
  if (!response.complete) response.state = to_string(full.record.completeness);
  return response;
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

bool is_same(const ComparedResponse& a, const ComparedResponse& b) {
  if (a.status != b.status || a.complete != b.complete || a.body != b.body) return false;
  return a.headers == b.headers || compared_headers(a.headers) == compared_headers(b.headers);
}

}  // namespace tapedeck::tools
