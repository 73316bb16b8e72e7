#include "tools/exchange/har_entry.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "api/transcript.h"
#include "base/text.h"
#include "http/message/head_scanner.h"
#include "http/message/multipart.h"
#include "http/message/urlencoded.h"
#include "tools/content/instant.h"
#include "tools/content/plain_text.h"
#include "tools/exchange/import_error.h"

namespace tapedeck::tools {

namespace {

using nlohmann::json;

const json& member(const json& object, const char* name, bool (json::*is_type)() const noexcept) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end() || !((*found).*is_type)()) {
    throw EntryFault("the entry has no usable \"" + std::string(name) + "\"");
  }
  return *found;
}

std::string text_or(const json& object, const char* name, const std::string& otherwise) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  return object.is_object() && found != object.end() && found->is_string() ? found->get<std::string>() : otherwise;
}

double number_or(const json& object, const char* name, double otherwise) {
  const auto found = object.is_object() ? object.find(name) : object.end();
  if (!object.is_object() || found == object.end() || !found->is_number()) return otherwise;
  const double number = found->get<double>();
  return std::isfinite(number) ? number : otherwise;
}

/// Returns the text up to a line end or NUL, because a header line cannot contain one.
std::string one_line(std::string text) {
  text.resize(std::min(text.find_first_of(std::string_view("\r\n\0", 3)), text.size()));
  return std::string(base::trim(text));
}

/// Leaves out the pseudo-headers of HTTP/2 (":path"). Splits Set-Cookie lines, which Chromium joins.
http::Headers headers_of(const json& message) {
  http::Headers out;
  const auto found = message.find("headers");
  if (found == message.end() || !found->is_array()) return out;
  for (const json& line : *found) {
    const std::string name = one_line(text_or(line, "name", ""));
    if (name.empty() || name.find_first_of(": \t") != std::string::npos) continue;
    const std::string value = text_or(line, "value", "");
    std::string_view rest = value;
    do {
      out.add(name, one_line(std::string(base::take_until(rest, '\n'))));
    } while (!rest.empty() && http::equal_no_case(name, "Set-Cookie"));
  }
  return out;
}

/// Removes headers about framing and compression, which archives do not contain.
void remove_packing(http::Headers& headers) {
  for (const char* const undone : {"Content-Encoding", "Content-Length", "Transfer-Encoding"}) headers.erase(undone);
}

/// Returns the fields of an upload as browsers send them. Archives seldom contain the contents of files.
std::string multipart_of(const json& params, const std::string& boundary) {
  std::string out;
  for (const json& field : params) {
    out.append("--").append(boundary).append("\r\nContent-Disposition: form-data; name=\"");
    out.append(one_line(text_or(field, "name", ""))).append("\"");
    const std::string file = one_line(text_or(field, "fileName", ""));
    if (!file.empty()) out.append("; filename=\"").append(file).append("\"");
    out.append("\r\n\r\n").append(text_or(field, "value", "")).append("\r\n");
  }
  return out + "--" + boundary + "--\r\n";
}

std::string form_of(const json& params) {
  std::string out;
  for (const json& pair : params) {
    if (!out.empty()) out += '&';
    out += http::percent_encode(text_or(pair, "name", "")) + "=" + http::percent_encode(text_or(pair, "value", ""));
  }
  return out;
}

/// Returns the content of the file in which Playwright keeps a body, or nothing.
std::optional<std::string> attached_to(const json& part, const Attached& attached) {
  const std::string name = text_or(part, "_file", "");
  return name.empty() || !attached ? std::nullopt : attached(name);
}

/// Returns the body. Sets Content-Type if it is missing or the body is built from parameters.
std::string request_body(const json& request, http::Headers& headers, const Attached& attached) {
  const auto post = request.find("postData");
  if (post == request.end() || !post->is_object()) return {};
  const std::string type = one_line(text_or(*post, "mimeType", ""));
  if (!type.empty() && !headers.contains("Content-Type")) headers.add("Content-Type", type);
  for (const char* const name : {"_base64", "text"}) {
    const bool is_packed = std::string_view(name) == "_base64" || text_or(*post, "encoding", "") == "base64";
    if (!post->contains(name)) continue;
    const std::string text = text_or(*post, name, "");
    if (!is_packed) {
      if (!text.empty()) return text;
      continue;
    }
    auto bytes = from_base64(text);
    if (!bytes) throw EntryFault("the request body is not base64");
    return std::move(*bytes);
  }
  if (auto bytes = attached_to(*post, attached)) return std::move(*bytes);
  const auto params = post->find("params");
  if (params == post->end() || !params->is_array() || params->empty()) return {};
  if (const auto boundary = http::multipart_boundary(headers)) return multipart_of(*params, *boundary);
  headers.set("Content-Type", "application/x-www-form-urlencoded");
  return form_of(*params);
}

/// Returns the query if only `queryString` contains it, as in archives of Insomnia. Empty if the URL contains it.
std::string query_of(const json& request, std::string_view url) {
  const auto params = request.find("queryString");
  if (url.find('?') != std::string_view::npos || params == request.end() || !params->is_array()) return {};
  const std::string query = form_of(*params);
  return query.empty() ? query : "?" + query;
}

/// Percent-encodes characters that a request line must not contain.
std::string clean_target(std::string_view target) {
  const std::string out =
      percent_encoded(target.substr(0, target.find('#')), [](char c) { return c > 0x20 && c < 0x7f; });
  return out.starts_with('/') ? out : "/" + out;
}

void read_request(const json& entry, HarEntry& out, const Attached& attached) {
  const json& request = member(entry, "request", &json::is_object);
  const std::string url = member(request, "url", &json::is_string).get<std::string>();
  const std::size_t host = url.find("://");
  const std::string scheme = base::fold(url.substr(0, std::min(host, url.size())));
  const auto messages = entry.find("_webSocketMessages");
  const bool is_accepted = entry.contains("response") && number_or(entry["response"], "status", 0) == 101;
  const bool has_messages = messages != entry.end() && messages->is_array() && is_accepted;
  out.is_websocket = scheme == "ws" || scheme == "wss" || messages != entry.end();
  if (out.is_websocket && !has_messages) return;
  if (!out.is_websocket && scheme != "http" && scheme != "https") return;
  const std::size_t path = std::min(url.find_first_of("/?#", host + 3), url.size());
  out.origin = base::fold(url.substr(0, path));
  if (out.origin.starts_with("ws")) out.origin.replace(0, 2, "http");
  http::Request& into = out.interaction.request;
  into.method = member(request, "method", &json::is_string).get<std::string>();
  if (!http::is_token(into.method)) throw EntryFault("invalid request method");
  const std::string target = url.substr(path);
  into.target = clean_target(target.substr(0, target.find('#')) + query_of(request, url));
  into.minor_version = text_or(request, "httpVersion", "").ends_with("1.0") ? 0 : 1;
  into.headers = headers_of(request);
  remove_packing(into.headers);
  into.body = request_body(request, into.headers, attached);
  if (out.is_websocket) into.headers.set("Upgrade", "websocket");
}

/// Returns the transcript (api/transcript.h) of the messages of a WebSocket. An archive seldom contains its end; then
/// replay waits for its client.
std::string transcript_of(const json& entry, std::string_view target) {
  std::vector<api::SocketMessage> messages;
  double first = -1;
  for (const json& one : entry["_webSocketMessages"]) {
    api::SocketMessage message;
    message.from_device = text_or(one, "type", "") == "receive";
    message.text = text_or(one, "data", "");
    message.withheld = text_or(one, "_tapedeck_withheld", "");
    const double time = number_or(one, "time", 0), opcode = number_or(one, "opcode", 1);
    if (first < 0) first = time;
    message.at_us = static_cast<std::int64_t>(std::clamp(time - first, 0.0, 1e6) * 1e6);
    if (opcode == 2) {
      message.type = api::SocketMessage::Type::binary;
      auto bytes = from_base64(message.text);
      if (!bytes) throw EntryFault("a binary message is not base64");
      message.text = std::move(*bytes);
    } else if (opcode == 8) {
      message.type = api::SocketMessage::Type::close;
      message.code = static_cast<std::uint16_t>(std::clamp(number_or(one, "_tapedeck_code", 0), 0.0, 65535.0));
    } else if (opcode != 1 || (api::engine_io_version(target) != 0 && api::is_heartbeat(message.text))) {
      continue;
    }
    messages.push_back(std::move(message));
  }
  if (messages.empty() || messages.back().type != api::SocketMessage::Type::close) {
    messages.push_back({false,
                        messages.empty() ? 0 : messages.back().at_us,
                        api::SocketMessage::Type::cut,
                        "the archive does not contain the end",
                        0,
                        {}});
  }
  return api::transcript(messages);
}

/// Returns the member, or an empty object if there is no object of that name.
const json& object_or_none(const json& parent, const char* name) {
  static const json none = json::object();
  const auto found = parent.find(name);
  return found != parent.end() && found->is_object() ? *found : none;
}

void mark(HarEntry& out, api::Completeness completeness, std::string reason) {
  out.interaction.completeness = completeness;
  out.interaction.reason = std::move(reason);
}

/// Returns true if a response really had no body: the archive says so, and the headers do not contradict it. Also
/// returns true for redirects, whose bodies browsers neither keep nor show.
bool had_no_body(const HarEntry& entry, const json& response, const json& content) {
  const http::Response& head = entry.interaction.response;
  if (entry.interaction.request.method == "HEAD" || head.status == 204 || head.status == 205) {
    return true;
  }
  if (head.status > 300 && head.status < 400 && head.headers.contains("Location")) return true;
  const double size = number_or(content, "size", -1), sent = number_or(response, "bodySize", -1);
  if (head.headers.contains("Content-Encoding")) return size == 0;  // a compressed empty body has some bytes
  const std::string_view length = head.headers.first("Content-Length").value_or("");
  if (!length.empty()) return size <= 0 && length == "0";
  return size <= 0 && sent <= 0 && (size == 0 || sent == 0);
}

void read_body(const json& response, HarEntry& out, const Attached& attached) {
  http::Response& into = out.interaction.response;
  const json& content = object_or_none(response, "content");
  const auto text = content.find("text");
  const bool has_text = text != content.end() && text->is_string();
  if (has_text) into.body = text->get<std::string>();
  if (!has_text) {
    auto bytes = attached_to(content, attached);
    if (bytes) {
      into.body = std::move(*bytes);
      return;
    }
  }
  if (into.status == 304 && into.body.empty()) {
    return mark(out, api::Completeness::withheld, "not modified: the browser took its body from its cache");
  }
  if (into.body.empty() && !(has_text && number_or(content, "size", -1) == 0) && !had_no_body(out, response, content)) {
    return mark(out, api::Completeness::broken, "the archive does not contain its body");
  }
  // The browser took the body from its cache, so the page received a 200.
  if (into.status == 304 && !into.body.empty()) {
    into.status = 200;
    into.reason = http::reason_phrase(200);
  }
  if (text_or(content, "encoding", "") != "base64") return;
  auto bytes = from_base64(into.body);
  into.body = bytes ? std::move(*bytes) : std::string();
  if (!bytes) mark(out, api::Completeness::broken, "its body is not base64");
}

void read_response(const json& entry, HarEntry& out, const Attached& attached) {
  const json& response = object_or_none(entry, "response");
  http::Response& into = out.interaction.response;
  const double status = number_or(response, "status", 0);
  if (status < 1 || status > 999) {
    // Browsers write 0 or -1 if there was no response, or if the request was blocked or canceled.
    into.status = 0;
    into.reason.clear();
    return mark(out, api::Completeness::broken, "the archive contains no response");
  }
  into.status = static_cast<int>(status);
  into.reason = one_line(text_or(response, "statusText", ""));
  if (into.reason.empty()) into.reason = http::reason_phrase(into.status);
  into.headers = headers_of(response);
  if (out.is_websocket && into.status == http::switching_protocols) {
    into.body = transcript_of(entry, out.interaction.request.target);
  } else if (http::is_final(into.status) && into.status != http::switching_protocols) {
    read_body(response, out, attached);
  } else {  // the data after an informational response is not HTTP
    mark(out, api::Completeness::withheld, "its status is not that of a final response");
  }
  remove_packing(into.headers);
}

/// Reads what an export says about an interaction that was stored without its whole body.
void read_completeness(const json& entry, HarEntry& out) {
  const std::string text = text_or(entry, "_tapedeck_completeness", "");
  for (const auto completeness : {api::Completeness::broken, api::Completeness::withheld}) {
    if (text == to_string(completeness)) mark(out, completeness, one_line(text_or(entry, "_tapedeck_reason", "")));
  }
}

void read_times(const json& entry, std::int64_t before_us, HarEntry& entry_read) {
  api::Interaction& out = entry_read.interaction;
  const auto started = microseconds_of(text_or(entry, "startedDateTime", ""));
  entry_read.has_date = started.has_value();
  static constexpr double longest = 1e9;  // milliseconds: eleven days
  const auto us = [](double ms) { return static_cast<std::int64_t>(std::clamp(ms, 0.0, longest) * 1000); };
  out.started_us = started.value_or(before_us);
  out.ended_us = out.started_us + us(number_or(entry, "time", 0));
  const auto timings = entry.find("timings");
  if (timings == entry.end() || !timings->is_object() || number_or(*timings, "wait", -1) < 0) return;
  std::int64_t before = 0;
  for (const char* const phase : {"blocked", "dns", "connect", "send", "wait"}) {
    before += us(number_or(*timings, phase, 0));
  }
  if (out.response.status != 0) out.first_byte_us = std::min(out.started_us + before, out.ended_us);
}

}  // namespace

HarEntry read_entry(std::string_view text, std::int64_t before_us, const Attached& attached) {
  const json entry = json::parse(text, nullptr, false);
  if (!entry.is_object()) throw EntryFault("an entry is not an object");
  HarEntry out;
  read_request(entry, out, attached);
  if (out.origin.empty()) return out;
  read_response(entry, out, attached);
  read_completeness(entry, out);
  read_times(entry, before_us, out);
  return out;
}

}  // namespace tapedeck::tools
