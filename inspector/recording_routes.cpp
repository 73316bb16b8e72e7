// The routes of the control API for recordings: those that are replayed, and the current one.

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "inspector/input.h"
#include "inspector/routes.h"
#include "inspector/shown.h"
#include "replay/replay_handler.h"
#include "scan/leak_scan.h"

namespace tapedeck::inspector {
namespace {

using nlohmann::json;

constexpr std::uint32_t largest_small = 0xffffffff;

/// Searches the kept data of one request for possible secrets. Reports rules and places, never values.
void search(const journal::KeptRequest& kept, const journal::JournalEntry& entry, json& found) {
  const std::pair<const char*, std::string_view> places[] = {{"request headers", kept.headers},
                                                             {"request body", kept.body},
                                                             {"response headers", kept.response_headers.text},
                                                             {"response body", kept.response_body.text},
                                                             {"key", entry.key}};
  for (const auto& [place, text] : places) {
    if (text.empty()) continue;
    for (const scan::Finding& finding : scan::scan_bytes(text, place, {}).findings) {
      found.push_back({{"number", entry.number}, {"place", place}, {"rule", finding.rule}, {"via", finding.via}});
    }
  }
}

}  // namespace

ControlResponse Control::recordings(const ControlCall& call) {
  const Query& query = call.query;
  const std::uint64_t cassette = query.number("cassette", 0, 0, largest_small);
  const std::uint64_t from = query.number("from", 0, 0, largest_number);
  const auto& paths = subject_.replay->cassettes();
  if (const auto id = query.text("id")) {
    const auto recorded = subject_.replay->recording(cassette, *id);
    if (!recorded) return control_error(404, "no such recording; GET /recordings lists them");
    return good({{"answer", recorded_response(*recorded, from)},
                 {"asked", recorded_request(*recorded)},
                 {"recording", recorded_facts(*recorded, paths.at(cassette))}});
  }
  if (const auto key = query.text("key")) {
    return responses_of(cassette, {query.text("scope").value_or(""), *key,
                                   static_cast<std::uint32_t>(query.number("take", 1, 0, largest_small)),
                                   static_cast<std::uint32_t>(query.number("lane", 0, 0, largest_small))});
  }
  const auto add = [&paths](const replay::SequenceUse& use, json& one) {
    one["place"] = std::find(paths.begin(), paths.end(), use.cassette) - paths.begin();
    one["finished"] = use.finished;
    if (use.superseded) one["superseded"] = true;
  };
  return list_uses(
      query, [](const replay::SequenceUse&) { return true; }, add);
}

ControlResponse Control::responses_of(std::size_t cassette, const replay::SequenceName& sequence) const {
  json responses = json::array();
  subject_.replay->each_answer(cassette, sequence, [&](const cassettes::ListedInteraction& line, bool played) {
    if (responses.size() < largest_page) responses.push_back(listed(line, played));
  });
  if (responses.empty()) return control_error(404, "no such sequence; GET /recordings lists them");
  return good({{"answers", std::move(responses)}});
}

ControlResponse Control::mark(const ControlCall& call) {
  constexpr std::size_t longest = 200;
  const std::string name = text_in(call.object, "name");
  if (name.empty() || name.size() > longest) throw BadInput("name must have 1 to 200 bytes");
  subject_.recording.mark(name);
  return good({{"done", true}});
}

ControlResponse Control::finish(const ControlCall& /*call*/) {
  subject_.recording.finish();
  return good({{"done", true}});
}

ControlResponse Control::suspects(const ControlCall& /*call*/) {
  json found = json::array();
  std::uint64_t searched = 0;
  std::uint64_t next = subject_.journal->oldest();
  for (bool more = true; more && found.size() < largest_page;) {
    const auto lines = subject_.journal->entries(next, largest_page);
    more = !lines.empty();
    for (const journal::JournalLine& line : lines) {
      next = line->number + 1;
      const auto kept = subject_.journal->kept(line->number);
      if (kept == nullptr) continue;
      ++searched;
      search(*kept, *line, found);
    }
  }
  return good({{"searched", searched}, {"suspects", std::move(found)}});
}

}  // namespace tapedeck::inspector
