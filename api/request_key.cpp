#include "api/request_key.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "api/key_text.h"
#include "api/request_params.h"
#include "api/session_request.h"
#include "api/transcript.h"
#include "base/text.h"
#include "http/message/websocket.h"

namespace tapedeck::api {
namespace {

// The tables are documented in docs/matching.md, "What keys leave out".
constexpr std::array<std::string_view, 5> left_out = {"_", "_dc", "_sid", "SynoToken", "client_time"};
constexpr std::size_t longest_left_out =
    std::max_element(left_out.begin(), left_out.end(), [](auto a, auto b) { return a.size() < b.size(); }) -> size();
constexpr std::array<std::string_view, 13> left_out_of_logins = {
    "account", "username",    "user",   "passwd",       "password",   "otp_code",  "device_id",
    "did",     "device_name", "client", "__cIpHeRtExT", "ik_message", "kk_message"};

// Login parameters that count only as present or absent (docs/matching.md, "What keys leave out"). In the order of the
// key's text.
constexpr std::array<std::string_view, 5> login_names = {"device_id", "enable_device_token", "enable_syno_token",
                                                         "format", "otp_code"};

/// Appends "?a=1&b=2", sorted by encoded name. Parameters with equal names keep their order.
void append_items(std::string& text, const std::vector<Param>& params, const KeyPolicy& policy, bool in_login = false) {
  std::vector<std::pair<std::string, std::string>> items;
  items.reserve(params.size());
  for (const Param& param : params) {
    if (policy.leaves_out(param.name) || (in_login && policy.leaves_out_of_login(param.name))) continue;
    auto& [name, value] = items.emplace_back();
    append_escaped(name, param.name);
    append_key_value(value, param);
  }
  std::stable_sort(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  char mark = '?';
  for (const auto& [name, value] : items) {
    text.append(1, mark).append(name).append("=").append(value);
    mark = '&';
  }
}

void append_login_items(std::string& text, const Call& call) {
  char mark = '?';
  for (const std::string_view name : login_names) {
    if (call.param(name) == nullptr) continue;
    text += mark;
    text += name;
    mark = '&';
  }
}

/// A WebSocket and a plain request never have the same key.
std::string verb_of(const http::Request& request) {
  return http::names_websocket(request) ? std::string(RequestKey::websocket_verb) : request.method;
}

/// Returns the verb, path, and query of a request that is not a call. Holes in the path appear as their labels.
std::string path_text(const http::Request& request, std::string_view base_path, const std::vector<Hole>& holes) {
  const std::string_view whole = http::split_target(request.target).path;
  const std::string_view path = path_without_base(whole, base_path);
  std::string text;
  append_escaped(text, verb_of(request), KeyTextPart::segment);
  text += ' ';
  std::size_t done = 0;
  for (const Hole& hole :
       holes_within(holes_in_order(holes, RequestPart::target), {whole.size() - path.size(), path.size()})) {
    append_escaped(text, http::percent_decode(path.substr(done, hole.span.offset - done), false), KeyTextPart::path);
    append_hole(text, hole.label);
    done = hole.span.offset + hole.span.length;
  }
  append_escaped(text, http::percent_decode(path.substr(done), false), KeyTextPart::path);
  return text;
}

std::string opaque_body_name(const http::Request& request, const std::vector<Hole>& holes) {
  const bool is_redacted =
      std::any_of(holes.begin(), holes.end(), [](const Hole& hole) { return hole.part == RequestPart::body; });
  return content_name(request.body, is_redacted);
}

/// Returns the name of the body in a key. Forms and multipart bodies count as their parameters, so neither the boundary
/// nor a volatile field changes the key.
std::string body_name(const http::Request& request, const std::vector<Hole>& holes, const KeyPolicy& policy,
                      bool in_login) {
  if (request.body.empty()) return {};
  if (const std::optional<std::vector<Param>> params = body_params(request, holes)) {
    std::string items;
    append_items(items, *params, policy, in_login);
    const bool is_redacted = items.find('<') != std::string::npos || items.find(redacted_content) != std::string::npos;
    return items.empty() || is_redacted ? items : content_name(items, false);
  }
  return opaque_body_name(request, holes);
}

/// Returns the key without the body.
RequestKey key_of_call(const Call& call, const KeyPolicy& policy) {
  RequestKey key;
  key.is_call = true;
  key.api = call.name();
  key.version = call.version();
  key.method = call.folded_method();
  key.prefix = call.prefix();
  key.text.reserve(128);
  append_escaped(key.text, call.api(), KeyTextPart::segment);
  key.text += '/';
  append_escaped(key.text, key.version, KeyTextPart::segment);
  key.text += '/';
  append_escaped(key.text, key.method, KeyTextPart::segment);
  if (!key.prefix.empty()) {
    key.text += '@';
    append_escaped(key.text, key.prefix, KeyTextPart::path);
  }
  if (call.is_login()) {
    append_login_items(key.text, call);
  } else {
    append_items(key.text, call.params(), policy, call.is_any_login() || call.is("API.Auth", "resume"));
  }
  return key;
}

RequestKey key_of_other(const http::Request& request, std::string_view base_path, const std::vector<Hole>& holes,
                        const KeyPolicy& policy) {
  RequestKey key;
  key.method = verb_of(request);
  key.text = path_text(request, base_path, holes);
  const bool in_login = session_step(request, nullptr) == SessionStep::login;
  std::vector<Param> params = target_params(request, holes);
  // The parameter `t` of socket.io is a clock.
  if (is_socket_io(request.target)) std::erase_if(params, [](const Param& param) { return param.name == "t"; });
  append_items(key.text, params, policy, in_login);
  const std::string body = body_name(request, holes, policy, in_login);
  if (!body.empty()) key.text.append(" #").append(body);
  key.has_holes = key.text.find('<') != std::string::npos;  // other '<' are escaped
  return key;
}

/// Returns the parameter of an item in a key. Each label in brackets becomes a redacted place again.
Param param_of(const RequestKey::Item& item) {
  Param param;
  param.name = http::percent_decode(item.name, false);
  std::string_view rest = item.value;
  while (!rest.empty()) {
    const std::size_t plain = std::min(rest.find('<'), rest.size());
    param.value += http::percent_decode(rest.substr(0, plain), false);
    rest.remove_prefix(plain);
    if (rest.empty()) break;
    const std::size_t end = std::min(rest.find('>'), rest.size());
    std::string label = http::percent_decode(rest.substr(1, end - 1), false);
    const http::Span place{param.value.size(), label.size()};
    param.value += label;
    param.holes.push_back({param.part, place, std::move(label)});
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return param;
}

}  // namespace

std::string RequestKey::with_label(std::string_view label) const {
  if (!is_call || api.label.empty()) return text;
  const std::string_view after_api = std::string_view(text).substr(std::min(text.find('/'), text.size()));
  std::string result;
  append_escaped(result, ApiName{std::string(label), api.rest}.full(), KeyTextPart::segment);
  return result.append(after_api);
}

bool RequestKey::has_redacted_content() const { return text.find(redacted_content) != std::string::npos; }

RequestKey RequestKey::with_range(std::string_view range) const {
  std::string added(range_item);
  append_escaped(added.append("="), range);
  std::string_view rest = item_text();
  const std::size_t end = std::min(text.find(is_call ? "#" : " #"), text.size());
  std::string made = text.substr(0, end - rest.size());
  if (rest.empty()) made += '?';
  bool is_added = false;
  while (!rest.empty()) {
    const std::string_view item = base::take_until(rest, '&');
    if (!is_added && item.substr(0, item.find('=')) > range_item) {
      made.append(added).append("&");
      is_added = true;
    }
    made.append(item).append(rest.empty() && is_added ? "" : "&");
  }
  if (!is_added) made += added;
  RequestKey key = *this;
  key.text = made.append(text, end);
  return key;
}

RequestKey RequestKey::parse(std::string_view text) {
  RequestKey key;
  key.text = text;
  key.has_holes = text.find('<') != std::string_view::npos;
  const std::size_t space = text.find(' ');
  key.is_call = space == std::string_view::npos;
  if (key.is_call) {
    std::string_view head = text.substr(0, text.find_first_of("?#"));
    key.api = ApiName::split(http::percent_decode(base::take_until(head, '/'), false));
    key.version = http::percent_decode(base::take_until(head, '/'), false);
    const std::size_t prefix = std::min(head.find("@/"), head.size());
    key.method = http::percent_decode(head.substr(0, prefix), false);
    if (prefix < head.size()) key.prefix = http::percent_decode(head.substr(prefix + 1), false);
  } else {
    key.method = http::percent_decode(text.substr(0, space), false);
  }
  return key;
}

std::optional<RequestKey::Item> RequestKey::next_item(std::string_view& rest) {
  if (rest.empty()) return std::nullopt;
  std::string_view value = base::take_until(rest, '&');
  const std::string_view name = base::take_until(value, '=');
  return Item{name, value, value.find('<') != std::string_view::npos};
}

std::vector<RequestKey::Item> RequestKey::items_of(std::string_view text) {
  static_cast<void>(base::take_until(text, '?'));
  std::vector<Item> items;
  while (const auto item = next_item(text)) items.push_back(*item);
  return items;
}

std::string_view RequestKey::item_text() const& {
  std::string_view rest = text;
  if (!is_call) static_cast<void>(base::take_until(rest, ' '));
  rest = rest.substr(0, rest.find(is_call ? '#' : ' '));  // without the body
  static_cast<void>(base::take_until(rest, '?'));
  return rest;
}

std::vector<RequestKey::Item> RequestKey::items() const& {
  std::vector<Item> items;
  for (std::string_view rest = item_text(); const auto item = next_item(rest);) items.push_back(*item);
  return items;
}

std::string_view RequestKey::body() const& {
  const std::string_view mark = is_call ? "#" : " #";
  const std::size_t at = text.find(mark);
  return at == std::string::npos ? std::string_view() : std::string_view(text).substr(at + mark.size());
}

KeyPolicy::KeyPolicy(int number) : number_(number) {
  if (number != current_number) {
    throw std::invalid_argument("key policy " + std::to_string(number) +
                                " is unknown to this version, which supports " + std::to_string(current_number));
  }
}

bool KeyPolicy::leaves_out(std::string_view param_name) const {
  return param_name.size() <= longest_left_out &&
         std::find(left_out.begin(), left_out.end(), param_name) != left_out.end();
}

bool KeyPolicy::leaves_out_of_login(std::string_view param_name) const {
  return std::find(left_out_of_logins.begin(), left_out_of_logins.end(), param_name) != left_out_of_logins.end();
}

RequestKey KeyPolicy::key(const http::Request& request, std::string_view base_path,
                          const std::vector<Hole>& holes) const {
  const std::optional<Call> call = Call::from(request, base_path, holes);
  return key(request, call ? &*call : nullptr, base_path, holes);
}

RequestKey KeyPolicy::key(const http::Request& request, const Call* call, std::string_view base_path,
                          const std::vector<Hole>& holes) const {
  // Requests that do not name an API are identified by their path.
  if (call == nullptr || call->api().empty() || http::names_websocket(request)) {
    return key_of_other(request, base_path, holes, *this);
  }
  RequestKey key = key_of_call(*call, *this);
  if (call->has_opaque_body()) key.text.append("#").append(opaque_body_name(request, holes));
  key.has_holes = key.text.find('<') != std::string::npos;  // other '<' are escaped
  return key;
}

RequestKey KeyPolicy::key(const Call& part) const {
  RequestKey key = key_of_call(part, *this);
  key.has_holes = key.text.find('<') != std::string::npos;
  return key;
}

std::string KeyPolicy::body_items(const http::Request& request) const {
  std::string items;
  const bool in_login = session_step(request, nullptr) == SessionStep::login;
  if (const auto params = body_params(request, {})) append_items(items, *params, *this, in_login);
  return items;
}

std::vector<RequestKey> part_keys(const RequestKey& compound, const KeyPolicy& policy) {
  std::vector<Param> params;
  for (const RequestKey::Item& item : compound.items()) params.push_back(param_of(item));
  const Call call(compound.api.full(), compound.version, compound.method, std::move(params), compound.prefix);
  const auto parts = compound.is_call && call.is_compound() ? call.parts() : std::nullopt;
  std::vector<RequestKey> keys;
  if (!parts) return keys;
  for (const Call& part : *parts) {
    if (part.complete()) keys.push_back(policy.key(part));
  }
  return keys;
}

}  // namespace tapedeck::api
