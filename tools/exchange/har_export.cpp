#include "tools/exchange/har_export.h"

#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "api/transcript.h"
#include "base/base64.h"
#include "base/clock.h"
#include "base/text.h"
#include "base/utf8.h"
#include "http/message/urlencoded.h"
#include "tools/content/marks.h"
#include "tools/content/plain_text.h"

namespace tapedeck::tools {

namespace {

using Json = nlohmann::ordered_json;

/// Returns an invented value for a redacted place, because an import would take the placeholder itself for a secret.
/// Equal secrets of a session get equal values, so that an import recognizes them.
std::string stand_in(const scrubbers::Redaction& row, std::uint32_t session) {
  std::string name = "redacted-";
  for (const char c : to_string(row.secret_class)) name += c == '_' ? '-' : base::fold(c);
  const std::uint32_t owner = row.whose == scrubbers::Whose::own ? session : row.owner;
  return name + "-" + std::to_string(owner) + "-" + std::to_string(row.ordinal);
}

/// Returns the interaction with invented values in its redacted places.
scrubbers::InteractionRecord made_up(const scrubbers::InteractionRecord& stored) {
  return with_places(stored, [&](std::string& out, const scrubbers::Redaction& row, std::string_view there) {
    const bool is_readable = row.secret_class == scrubbers::SecretClass::private_data;
    out += is_readable ? std::string(there) : stand_in(row, stored.session);
  });
}

Json pair_of(std::string_view name, std::string_view value) {
  return {{"name", readable(name)}, {"value", readable(value)}};
}

Json headers_of(const http::Headers& headers) {
  Json out = Json::array();
  for (const http::Header& line : headers) out.push_back(pair_of(line.name, line.value));
  return out;
}

Json pairs_of(std::string_view text) {
  Json out = Json::array();
  for (const http::Pair& pair : http::parse_urlencoded(text)) out.push_back(pair_of(pair.name, pair.value));
  return out;
}

/// Returns the pairs of "a=1; b=2". Of Set-Cookie, returns only the first pair.
Json cookies_of(const http::Headers& headers, std::string_view name) {
  Json out = Json::array();
  const bool is_answer = name == "Set-Cookie";
  for (std::string_view line : headers.all(name)) {
    while (!line.empty()) {
      const std::string_view one = base::trim(base::take_until(line, ';'));
      const std::size_t equals = one.find('=');
      if (equals != std::string_view::npos) out.push_back(pair_of(one.substr(0, equals), one.substr(equals + 1)));
      if (is_answer) break;
    }
  }
  return out;
}

std::string type_of(const http::Headers& headers) {
  return readable(headers.first("Content-Type").value_or("application/octet-stream"));
}

std::string version_text(int minor) { return "HTTP/1." + std::to_string(minor); }

/// Percent-encodes bytes that a URL must not contain: bytes beyond ASCII, angle brackets, and some other characters.
std::string in_url(std::string_view target) {
  return percent_encoded(target,
                         [](char c) { return c > 0x20 && c < 0x7f && c != '<' && c != '>' && c != '"' && c != '#'; });
}

Json request_of(const scrubbers::InteractionRecord& record, const std::string& base_url) {
  const http::Request& request = record.request;
  const std::string_view query = http::split_target(request.target).query;
  Json out = {{"method", readable(request.method)},
              {"url", base_url + in_url(request.target)},
              {"httpVersion", version_text(request.minor_version)},
              {"cookies", cookies_of(request.headers, "Cookie")},
              {"headers", headers_of(request.headers)},
              {"queryString", pairs_of(query)}};
  if (!request.body.empty()) {
    Json post = {{"mimeType", type_of(request.headers)}};
    if (http::is_form(request.headers)) post["params"] = pairs_of(request.body);
    post["text"] = readable(request.body);
    if (!base::is_utf8(request.body)) post["_base64"] = base::base64_form(request.body);
    out["postData"] = std::move(post);
  }
  out["headersSize"] = -1;
  out["bodySize"] = request.body.size();
  return out;
}

Json response_of(const scrubbers::InteractionRecord& record) {
  const http::Response& response = record.response;
  Json content = {{"size", response.body.size()}, {"mimeType", type_of(response.headers)}};
  if (base::is_utf8(response.body)) {
    content["text"] = response.body;
  } else {
    content["text"] = base::base64_form(response.body);
    content["encoding"] = "base64";
  }
  return {{"status", response.status},
          {"statusText", readable(response.reason)},
          {"httpVersion", version_text(record.request.minor_version)},
          {"cookies", cookies_of(response.headers, "Set-Cookie")},
          {"headers", headers_of(response.headers)},
          {"content", std::move(content)},
          {"redirectURL", readable(response.headers.first("Location").value_or(""))},
          {"headersSize", -1},
          {"bodySize", response.body.size()}};
}

/// Returns the messages of a WebSocket as browsers and Playwright write them; nothing for another response. `opcode` is
/// that of the frame.
std::optional<Json> messages_of(const scrubbers::InteractionRecord& record) {
  using Type = api::SocketMessage::Type;
  if (record.response.status != http::switching_protocols) return std::nullopt;
  const auto messages = api::parse_transcript(record.response.body);
  if (!messages) return std::nullopt;
  Json out = Json::array();
  for (const api::SocketMessage& message : *messages) {
    if (message.type == Type::cut) break;
    const bool is_binary = message.type == Type::binary;
    Json one = {{"type", message.from_device ? "receive" : "send"},
                {"time", static_cast<double>(record.started_us + message.at_us) / 1e6},
                {"opcode", message.type == Type::close ? 8
                           : is_binary                 ? 2
                                                       : 1},
                {"data", is_binary ? base::base64_form(message.text) : message.text}};
    if (message.code != 0) one["_tapedeck_code"] = message.code;
    if (!message.withheld.empty()) one["_tapedeck_withheld"] = message.withheld;
    out.push_back(std::move(one));
  }
  return out;
}

Json entry_of(const cassettes::FullInteraction& full, const std::string& base_url) {
  scrubbers::InteractionRecord record = made_up(full.record);
  std::optional<Json> messages = messages_of(record);
  if (messages) record.response.body.clear();
  const auto milliseconds = [](std::int64_t us) { return static_cast<double>(std::max<std::int64_t>(us, 0)) / 1000; };
  const double whole = milliseconds(record.ended_us - record.started_us);
  const double wait = record.first_byte_us == 0 ? whole : milliseconds(record.first_byte_us - record.started_us);
  Json out = {{"startedDateTime", base::rfc3339(record.started_us, 6)},
              {"time", whole},
              {"request", request_of(record, base_url)},
              {"response", response_of(record)},
              {"cache", Json::object()},
              {"timings", {{"send", 0}, {"wait", wait}, {"receive", std::max(whole - wait, 0.0)}}},
              {"_tapedeck_id", full.line.id}};
  if (messages) {
    out["_resourceType"] = "websocket";
    out["_webSocketMessages"] = *std::move(messages);
  }
  if (!record.scope.empty()) out["_tapedeck_scope"] = readable(api::shown_scope(record.scope));
  if (record.completeness != api::Completeness::complete) {
    out["_tapedeck_completeness"] = to_string(record.completeness);
    out["_tapedeck_reason"] = readable(record.reason);
    out["comment"] = std::string(to_string(record.completeness)) + ": " + readable(record.reason);
  }
  return out;
}

}  // namespace

HarExport::HarExport(std::ostream& out, std::string base_url) : out_(out), base_url_(std::move(base_url)) {
  out_ << R"({"log":{"version":"1.2","creator":{"name":"tapedeck","version":")" << TAPEDECK_VERSION
       << "\"},\"pages\":[],\"entries\":[";
}

void HarExport::add(const cassettes::CassetteReader& cassette, const ExportRange& range) {
  const std::string base = base_url_ + cassette.info().base_path;
  each_in_order(cassette, range, [&](const cassettes::FullInteraction& full) {
    out_ << (is_first_ ? "\n" : ",\n")
         << base::printable_json(entry_of(full, base).dump(-1, ' ', false, Json::error_handler_t::replace));
    is_first_ = false;
  });
}

void HarExport::end() { out_ << "\n]}}\n"; }

}  // namespace tapedeck::tools
