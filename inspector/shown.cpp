#include "inspector/shown.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "api/request_key.h"
#include "api/scope_name.h"
#include "base/base64.h"
#include "base/utf8.h"
#include "cassettes/read/cassette_reader.h"
#include "http/message/message.h"
#include "http/message/urlencoded.h"
#include "journal/kept_request.h"
#include "replay/recorded/match.h"
#include "replay/replay_handler.h"

namespace tapedeck::inspector {
namespace {

using journal::MarkedText;
using nlohmann::json;
using Item = api::RequestKey::Item;

std::string hidden(std::string_view text, const Hide& hide) { return hide ? hide(text) : std::string(text); }

/// Returns the end of the piece that begins at `from`.
std::uint64_t end_of_piece(const ShownBody& body, std::uint64_t from) {
  std::uint64_t end = std::min<std::uint64_t>(body.text.size(), from + body_piece);
  for (const MarkedText::Mark& mark : body.marks) {
    if (mark.offset > from && mark.offset < end && mark.offset + mark.length > end) end = mark.offset;
  }
  const std::string_view rest = std::string_view(body.text).substr(from);
  const std::size_t whole = base::utf8_prefix(rest, end - from).size();
  return whole == 0 ? end : from + whole;
}

json piece(const std::string& bytes) {
  return base::is_utf8(bytes) ? json{{"text", bytes}} : json{{"base64", base::base64_form(bytes)}};
}

std::string readable(std::string_view value) { return http::percent_decode(value, false); }

json parameter(const Item& item) { return {{"name", readable(item.name)}, {"value", readable(item.value)}}; }

/// Returns the next item of that name at or after `at`, or null.
const Item* next_of(const std::vector<Item>& items, std::string_view name, std::size_t& at) {
  while (at < items.size() && items[at].name < name) ++at;
  return at < items.size() && items[at].name == name ? &items[at++] : nullptr;
}

}  // namespace

json shown_body(const ShownBody& body, std::uint64_t from, const Hide& hide) {
  from = std::min<std::uint64_t>(from, body.text.size());
  const std::uint64_t end = end_of_piece(body, from);
  json pieces = json::array();
  const auto add = [&](std::uint64_t begin, std::uint64_t stop) {
    if (stop > begin) pieces.push_back(piece(hidden(body.text.substr(begin, stop - begin), hide)));
  };
  std::uint64_t done = from;
  for (const MarkedText::Mark& mark : body.marks) {
    if (mark.offset < done || mark.offset + mark.length > end) continue;
    add(done, mark.offset);
    pieces.push_back(
        {{"class", scrubbers::to_string(mark.secret_class)}, {"text", body.text.substr(mark.offset, mark.length)}});
    done = mark.offset + mark.length;
  }
  add(done, end);
  json shown = {{"bytes", body.bytes}, {"from", from}, {"pieces", std::move(pieces)}};
  if (end < body.text.size()) {
    shown["next"] = end;
  } else if (end < body.bytes) {
    shown["cut"] = true;
  }
  return shown;
}

json shown_headers(std::string_view lines, const Hide& hide) {
  json list = json::array();
  for (const http::Header& line : http::Headers::from_text(lines)) {
    list.push_back({{"name", line.name}, {"value", hidden(line.value, hide)}});
  }
  return list;
}

json shown_parameters(std::string_view key) {
  json list = json::array();
  for (const Item& item : api::RequestKey::items_of(key)) list.push_back(parameter(item));
  return list;
}

json side_by_side(std::string_view request_key, std::string_view recorded_key) {
  const api::RequestKey request = api::RequestKey::parse(request_key);
  const api::RequestKey recorded = api::RequestKey::parse(recorded_key);
  const std::vector<Item> left = request.items(), right = recorded.items();
  std::size_t at_left = 0, at_right = 0;
  json rows = json::array();
  const replay::Comparison comparison = replay::compare(request, recorded);
  for (const replay::ParamVerdict& verdict : comparison.params) {
    json row = {{"name", readable(verdict.name)}, {"verdict", replay::to_string(verdict.likeness)}};
    const bool is_in_request = verdict.likeness != replay::Likeness::missing;
    const bool is_recorded = verdict.likeness != replay::Likeness::extra;
    const Item* const mine = is_in_request ? next_of(left, verdict.name, at_left) : nullptr;
    const Item* const theirs = is_recorded ? next_of(right, verdict.name, at_right) : nullptr;
    if (mine != nullptr) row["asked"] = readable(mine->value);
    if (theirs != nullptr) row["recorded"] = readable(theirs->value);
    rows.push_back(std::move(row));
  }
  json shown = {{"key", recorded_key}, {"parameters", std::move(rows)}};
  if (request.is_call) {
    shown["version"] = {{"asked", request.version}, {"recorded", recorded.version}};
  }
  return shown;
}

json recorded_response(const cassettes::FullInteraction& recorded, std::uint64_t from) {
  const http::Response& response = recorded.record.response;
  const auto marks = journal::marks_of(recorded.record, scrubbers::Part::response_body);
  return {{"body", shown_body({response.body, marks, response.body.size()}, from, {})},
          {"headers", shown_headers(response.headers.to_text(), {})},
          {"reason", response.reason},
          {"status", response.status}};
}

json recorded_request(const cassettes::FullInteraction& recorded) {
  const http::Request& request = recorded.record.request;
  return {{"headers", shown_headers(request.headers.to_text(), {})},
          {"parameters", shown_parameters(recorded.line.key)},
          {"path", http::split_target(request.target).path},
          {"verb", request.method}};
}

json recorded_facts(const cassettes::FullInteraction& recorded, const std::string& cassette) {
  const cassettes::ListedInteraction& line = recorded.line;
  json facts = {{"cassette", cassette},
                {"id", line.id},
                {"key", line.key},
                {"lane", line.lane},
                {"take", line.take},
                {"redactions", line.redactions},
                {"recorded_us", line.started_us},
                {"took_us", line.ended_us - line.started_us}};
  if (line.session > 0) facts["session"] = line.session;
  if (!line.scope.empty()) facts["scope"] = api::shown_scope(line.scope);
  return facts;
}

json listed(const cassettes::ListedInteraction& line, bool played) {
  json one = {{"bytes", line.body_bytes},
              {"completeness", api::to_string(line.completeness)},
              {"id", line.id},
              {"played", played},
              {"status", line.status}};
  if (line.error_code) one["code"] = *line.error_code;
  if (!line.reason.empty()) one["reason"] = line.reason;
  return one;
}

json shown_use(const replay::SequenceUse& use) {
  json one = {{"cassette", use.cassette}, {"key", use.key},       {"take", use.take},
              {"lane", use.lane},         {"played", use.played}, {"recordings", use.recordings}};
  if (!use.scope.empty()) one["scope"] = api::shown_scope(use.scope);
  return one;
}

}  // namespace tapedeck::inspector
