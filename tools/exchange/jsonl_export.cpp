#include "tools/exchange/jsonl_export.h"

#include <algorithm>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "base/base64.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/utf8.h"
#include "cassettes/finish/material.h"
#include "tools/content/plain_text.h"

namespace tapedeck::tools {
namespace {

using Json = nlohmann::ordered_json;

/// Adds bytes as text if they are UTF-8. Otherwise adds null, and the bytes as NAME_base64.
void add_bytes(Json& line, const std::string& name, const std::string& bytes) {
  const bool is_text = base::is_utf8(bytes);
  line[name] = is_text ? Json(bytes) : Json(nullptr);
  if (!is_text) line[name + "_base64"] = base::base64_form(bytes);
}

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(readable(text)); }

void add_call(Json& line, const cassettes::FullInteraction& full) {
  const api::RequestKey& key = full.record.key;
  line["is_call"] = key.is_call;
  line["api"] = key.is_call ? Json(readable(key.api.full())) : Json(nullptr);
  line["version"] = key.is_call ? Json(readable(key.version)) : Json(nullptr);
  line["method"] = key.is_call ? Json(readable(key.method)) : Json(nullptr);
  line["key"] = key.text;
}

void add_answer(Json& line, const cassettes::FullInteraction& full) {
  const scrubbers::InteractionRecord& record = full.record;
  line["status"] = record.response.status;
  add_bytes(line, "phrase", record.response.reason);
  line["error_code"] = full.line.error_code ? Json(*full.line.error_code) : Json(nullptr);
  line["success"] = full.line.error_code ? Json(*full.line.error_code == 0) : Json(nullptr);
  line["completeness"] = to_string(record.completeness);
  line["reason"] = text_or_null(record.reason);
  line["effect"] = record.effect == api::Effect::read    ? "read"
                   : record.effect == api::Effect::write ? "write"
                                                         : "session";
  if (record.ended_by_client) line["ended_by_client"] = true;
  if (!record.withheld_digest.empty()) line["withheld_digest"] = record.withheld_digest;
  if (record.withheld_bytes != 0) line["withheld_bytes"] = record.withheld_bytes;
  line["started_at"] = base::rfc3339(record.started_us, 6);
  line["started_us"] = record.started_us;
  line["duration_us"] = record.ended_us - record.started_us;
  line["first_byte_us"] = record.first_byte_us == 0 ? Json(nullptr) : Json(record.first_byte_us - record.started_us);
  line["request_bytes"] = record.request.body.size();
  line["response_bytes"] = record.response.body.size();
  line["redactions"] = record.redactions.size();
  const auto type = record.response.headers.first("Content-Type");
  line["content_type"] = type ? Json(readable(*type)) : Json(nullptr);
  line["body_sha256"] = base::to_hex(base::sha256(record.response.body));
}

Json json_of(const scrubbers::Redaction& row) {
  Json out = {{"part", static_cast<int>(row.part)},
              {"at", row.offset},
              {"length", row.length},
              {"class", scrubbers::to_string(row.secret_class)},
              {"whose", static_cast<int>(row.whose)},
              {"owner", row.owner},
              {"number", row.ordinal}};
  add_bytes(out, "encoding", scrubbers::to_string(row.encoding));
  add_bytes(out, "shape", row.shape);
  add_bytes(out, "rule", row.rule);
  return out;
}

/// Returns the first line: everything in the cassette except its interactions.
Json json_of(const std::string& name, const cassettes::MaterialHead& head) {
  Json line = {{"kind", "cassette"}, {"cassette", readable(name)}};
  for (const char* const list : {"takes", "scopes", "accounts", "sessions", "marks", "allowed"})
    line[list] = Json::array();
  for (const cassettes::Take& row : head.takes) {
    line["takes"].push_back({{"take", row.number},
                             {"name", base::to_hex(row.id)},
                             {"started_us", row.started_us},
                             {"ended_us", row.ended_us},
                             {"tool", row.tool_version},
                             {"key_policy", row.key_policy},
                             {"scrub_policy", row.scrub_policy},
                             {"base_path", row.base_path},
                             {"device", row.device},
                             {"note", row.note},
                             {"model", row.model},
                             {"firmware", row.firmware},
                             {"finished", row.finished},
                             {"verified", row.verified}});
    if (row.account_key) line["takes"].back()["account_key"] = *row.account_key;
  }
  for (const cassettes::MaterialPart& row : head.parts) {
    line["scopes"].push_back({{"take", row.take}, {"scope", row.scope}, {"run", row.run}, {"complete", row.complete}});
  }
  for (const cassettes::MaterialAccount& row : head.accounts) {
    line["accounts"].push_back({{"take", row.take}, {"scope", row.scope}, {"account", row.number}});
    if (row.check) line["accounts"].back()["check"] = *row.check;
  }
  for (const cassettes::MaterialSession& row : head.sessions) {
    line["sessions"].push_back({{"take", row.take},
                                {"scope", row.scope},
                                {"session", row.number},
                                {"account", row.account},
                                {"lane", row.span.lane},
                                {"first_us", row.span.first_us},
                                {"last_us", row.span.last_us}});
  }
  for (const cassettes::Mark& row : head.marks) {
    line["marks"].push_back({{"take", row.take}, {"at_us", row.at_us}, {"name", row.name}});
  }
  for (const std::string& fingerprint : head.allowed) line["allowed"].push_back(fingerprint);
  return line;
}

Json json_of(const std::string& name, const cassettes::FullInteraction& full,
             const std::vector<cassettes::Take>& takes) {
  const scrubbers::InteractionRecord& record = full.record;
  const cassettes::Take& take = take_of(takes, full.line.take);
  Json line = {{"kind", "interaction"}, {"cassette", readable(name)}, {"id", full.line.id}, {"take", full.line.take}};
  line["model"] = text_or_null(take.model);
  line["firmware"] = text_or_null(take.firmware);
  line["scope"] = text_or_null(api::shown_scope(record.scope));
  if (api::shown_scope(record.scope) != record.scope) line["stored_scope"] = record.scope;
  line["session"] = record.session;
  line["account"] = record.account;
  line["lane"] = full.line.lane;
  line["position"] = full.line.position;
  line["ord"] = full.line.ord;
  add_call(line, full);
  if (key_of(record, take).text != record.key.text) line["keeps_key"] = true;
  line["verb"] = readable(record.request.method);
  add_bytes(line, "target", record.request.target);
  line["minor_version"] = record.request.minor_version;
  add_answer(line, full);
  add_bytes(line, "request_headers", record.request.headers.to_text());
  add_bytes(line, "response_headers", record.response.headers.to_text());
  add_bytes(line, "request_body", record.request.body);
  add_bytes(line, "body", record.response.body);
  line["redacted"] = Json::array();
  for (const scrubbers::Redaction& row : record.redactions) line["redacted"].push_back(json_of(row));
  for (const api::StreamEvent& event : record.events) line["events"].push_back({event.at_us, event.end});
  return line;
}

}  // namespace

void export_jsonl(const std::string& name, const ExportRange& range, std::ostream& out) {
  const cassettes::CassetteReader cassette(name);
  const cassettes::MaterialHead head = cassettes::open_material(name)->head();
  const auto write = [&out](const Json& line) {
    out << base::printable_json(line.dump(-1, ' ', false, Json::error_handler_t::replace)) << '\n';
  };
  write(json_of(name, head));
  std::uint64_t count = 0;
  each_in_order(cassette, range, [&](const cassettes::FullInteraction& full) {
    ++count;
    write(json_of(name, full, head.takes));
  });
  write({{"kind", "end"}, {"cassette", readable(name)}, {"interactions", count}});
}

api::RequestKey key_of(const scrubbers::InteractionRecord& record, const cassettes::Take& take) {
  return scrubbers::key_of(record, api::KeyPolicy(take.key_policy), take.base_path, scrubbers::holes_of(record));
}

const cassettes::Take& take_of(const std::vector<cassettes::Take>& takes, std::uint32_t number) {
  const auto found = std::find_if(takes.begin(), takes.end(), [&](const auto& take) { return take.number == number; });
  if (found == takes.end()) throw std::out_of_range("no take " + std::to_string(number));
  return *found;
}

}  // namespace tapedeck::tools
