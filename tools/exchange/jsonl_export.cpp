#include "tools/exchange/jsonl_export.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "base/digest.h"
#include "base/utf8.h"
#include "tools/exchange/base64.h"
#include "tools/exchange/instant.h"
#include "tools/exchange/plain_text.h"

namespace tapedeck::tools {

namespace {

using Json = nlohmann::ordered_json;

/// A body as text, else as base64 in the member beside.
void add_body(Json& line, const std::string& name, const std::string& body) {
  const bool is_text = base::is_utf8(body);
  line[name] = is_text ? Json(body) : Json(nullptr);
  line[name + "_base64"] = is_text ? Json(nullptr) : Json(to_base64(body));
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
  line["error_code"] = full.line.error_code ? Json(*full.line.error_code) : Json(nullptr);
  line["success"] = full.line.error_code ? Json(*full.line.error_code == 0) : Json(nullptr);
  line["completeness"] = to_string(record.completeness);
  line["reason"] = text_or_null(record.reason);
  line["effect"] = record.effect == api::Effect::read    ? "read"
                   : record.effect == api::Effect::write ? "write"
                                                         : "session";
  line["started_at"] = iso_time(record.started_us);
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

}  // namespace

void export_jsonl(const cassettes::CassetteReader& cassette, const std::string& name, const ExportRange& range,
                  std::ostream& out) {
  each_in_order(cassette, range, [&](const cassettes::FullInteraction& full) {
    const scrubbers::InteractionRecord& record = full.record;
    const auto take = std::find_if(cassette.info().takes.begin(), cassette.info().takes.end(),
                                   [&](const cassettes::Take& one) { return one.number == full.line.take; });
    Json line = {{"cassette", readable(name)}, {"id", full.line.id}, {"take", full.line.take}};
    line["model"] = take == cassette.info().takes.end() ? Json(nullptr) : text_or_null(take->model);
    line["firmware"] = take == cassette.info().takes.end() ? Json(nullptr) : text_or_null(take->firmware);
    line["scope"] = text_or_null(api::shown_scope(record.scope));
    line["session"] = record.session;
    line["lane"] = full.line.lane;
    line["position"] = full.line.position;
    line["ord"] = full.line.ord;
    add_call(line, full);
    line["verb"] = readable(record.request.method);
    line["target"] = readable(record.request.target);
    add_answer(line, full);
    add_body(line, "request_body", record.request.body);
    add_body(line, "body", record.response.body);
    out << line.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
  });
}

}  // namespace tapedeck::tools
