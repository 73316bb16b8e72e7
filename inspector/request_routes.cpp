// The route of the control API that shows one request and the reason for its response.

#include <nlohmann/json.hpp>

#include "inspector/input.h"
#include "inspector/routes.h"
#include "inspector/shown.h"
#include "replay/language/overlay_text.h"
#include "replay/replay_handler.h"

namespace tapedeck::inspector {
namespace {

using journal::JournalEntry;
using journal::KeptRequest;
using nlohmann::json;

ControlResponse no_longer_kept(std::uint64_t number) {
  return control_error(404, "request " + std::to_string(number) + " is not available or no longer available");
}

json names_in(std::string_view list) {
  json names = json::array();
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(", "));
    names.push_back(name);
    list.remove_prefix(std::min(list.size(), name.size() + 2));
  }
  return names;
}

/// A device may send an empty reason.
bool has_response(const KeptRequest& kept) {
  return !kept.reason.empty() || !kept.response_headers.text.empty() || kept.body_bytes > 0;
}

json request_of(const JournalEntry& entry, const KeptRequest& kept, const Hide& hide) {
  json request = {{"headers", shown_headers(kept.headers, hide)},
                  {"left_out", names_in(hide(kept.left_out))},
                  {"parameters", shown_parameters(entry.key)}};
  if (!kept.path.empty()) request["path"] = hide(kept.path);
  if (!kept.body.empty()) request["body"] = shown_body({kept.body, {}, kept.body.size()}, 0, hide);
  return request;
}

json response_of(const JournalEntry& entry, const KeptRequest& kept, std::uint64_t from, const Hide& hide) {
  return {{"body", shown_body({kept.response_body.text, kept.response_body.marks, kept.body_bytes}, from, hide)},
          {"headers", shown_headers(kept.response_headers.text, hide)},
          {"reason", hide(kept.reason)},
          {"status", entry.status}};
}

/// Returns an overlay block that responds to such a request, to be completed.
std::string overlay_for(const JournalEntry& entry) {
  std::string params;
  for (const json& one : shown_parameters(entry.key)) {
    const std::string value = one["value"].get<std::string>();
    const bool is_redacted = value.starts_with('<') && value.ends_with('>');
    params.append(params.empty() ? " " : ", ").append(replay::toml_key(one["name"].get<std::string>()));
    params.append(" = ").append(replay::toml_text(is_redacted ? "*" : value));
  }
  if (entry.api.empty()) {
    return "[[overlay]]\npath = " + replay::toml_text(entry.key.substr(0, entry.key.find_first_of("?#"))) +
           "\nstatus = 200\njson = '{}'\n";
  }
  return "[[overlay]]\ncall = " + replay::toml_text(entry.api + "/" + entry.version + "/" + entry.method) + "\n" +
         (params.empty() ? "" : "params = {" + params + " }\n") + "data = {}\n";
}

/// Adds the explanation of a response that Tapedeck made: the nearest recordings of a miss, and possible remedies.
void explain(const JournalEntry& entry, const KeptRequest& kept, json& shown) {
  const json response = json::parse(kept.response_body.text, nullptr, false);
  const json::json_pointer place("/error/errors/tapedeck");
  if (response.is_discarded() || !response.contains(place)) return;
  const json& report = response[place];
  json nearest = json::array();
  for (const json& one : report.value("nearest", json::array())) {
    nearest.push_back(side_by_side(entry.key, one.value("recording", "")));
  }
  shown["hint"] = report.value("hint", "");
  shown["overlay"] = overlay_for(entry);
  for (const char* const member : {"effect", "remedy", "renames"}) {
    if (report.contains(member)) shown[member] = report[member];
  }
  shown["nearest"] = std::move(nearest);
}

}  // namespace

ControlResponse Control::request(const ControlCall& call) {
  const std::uint64_t from = call.query.number("from", 0, 0, largest_number);
  const auto entries = subject_.journal->entries(call.number, 1);
  if (entries.empty() || entries.front()->number != call.number) return no_longer_kept(call.number);
  const JournalEntry& entry = *entries.front();
  const Hide hide = [this](std::string_view text) { return subject_.journal->hidden(text); };
  json shown = {{"entry", json::parse(journal::to_json(entry))}};
  const auto kept = subject_.journal->kept(call.number);
  if (kept != nullptr) {
    shown["asked"] = request_of(entry, *kept, hide);
    if (has_response(*kept)) shown["answer"] = response_of(entry, *kept, from, hide);
    if (entry.outcome != "recorded") explain(entry, *kept, shown);
  }
  if (subject_.replay != nullptr && kept != nullptr && kept->cassette) {
    const auto recorded = subject_.replay->recording(*kept->cassette, entry.recording);
    if (recorded) {
      shown["answer"] = recorded_response(*recorded, from);
      shown["recording"] = recorded_facts(*recorded, subject_.replay->cassettes().at(*kept->cassette));
    }
  }
  return good(shown);
}

}  // namespace tapedeck::inspector
