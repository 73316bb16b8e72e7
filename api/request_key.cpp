#include "api/request_key.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "api/key_text.h"
#include "api/request_params.h"

namespace tapedeck::api {
namespace {

// Field notes, "Parameters": random, clock or session values, and secrets.
constexpr std::array<std::string_view, 11> left_out_names = {"_sid",        "SynoToken",   "passwd",       "otp_code",
                                                             "device_id",   "device_name", "__cIpHeRtExT", "ik_message",
                                                             "client_time", "_dc",         "mimeType"};

// Semantics §1, "login": what counts is that they are there. In the order of the text.
constexpr std::array<std::string_view, 5> login_names = {"device_id", "enable_device_token", "enable_syno_token",
                                                         "format", "otp_code"};

RequestKey::Item item_of(const Param& param) {
  RequestKey::Item item;
  append_escaped(item.name, param.name);
  item.value = key_value(param);
  item.has_hole = item.value.find('<') != std::string::npos;
  return item;
}

/// Sorted by name; the items of one name keep their order.
std::vector<RequestKey::Item> items_of(const std::vector<Param>& params, const KeyPolicy& policy) {
  std::vector<RequestKey::Item> items;
  items.reserve(params.size());
  for (const Param& param : params) {
    if (!policy.leaves_out(param.name)) items.push_back(item_of(param));
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const RequestKey::Item& a, const RequestKey::Item& b) { return a.name < b.name; });
  return items;
}

void append_items(std::string& text, const std::vector<RequestKey::Item>& items) {
  char mark = '?';
  for (const RequestKey::Item& item : items) {
    text += mark;
    text.append(item.name).append("=").append(item.value);
    mark = '&';
  }
}

bool any_hole(const std::vector<RequestKey::Item>& items) {
  return std::any_of(items.begin(), items.end(), [](const RequestKey::Item& item) { return item.has_hole; });
}

void add_login_items(RequestKey& key, const Call& call) {
  char mark = '?';
  for (const std::string_view name : login_names) {
    if (call.param(name) == nullptr) continue;
    key.items.push_back({std::string(name), {}, false});
    key.text += mark;
    key.text += name;
    mark = '&';
  }
}

/// Verb, path and query of what is no call; holes of the path stand as their labels.
std::string path_text(const http::Request& request, std::string_view base_path, const std::vector<Hole>& holes) {
  const std::string_view whole = http::split_target(request.target).path;
  const std::string_view path = path_without_base(whole, base_path);
  std::string text;
  append_escaped(text, request.method, KeyTextPart::segment);
  text += ' ';
  std::size_t done = 0;
  for (const Hole& hole : holes_within(holes, RequestPart::target, {whole.size() - path.size(), path.size()})) {
    append_escaped(text, http::percent_decode(path.substr(done, hole.span.offset - done), false), KeyTextPart::path);
    append_hole(text, hole.label);
    done = hole.span.offset + hole.span.length;
  }
  append_escaped(text, http::percent_decode(path.substr(done), false), KeyTextPart::path);
  return text;
}

/// The body's part of a key: a form or multipart body counts as its parameters, so that neither the boundary nor a
/// volatile field makes a difference.
std::string body_hash(const http::Request& request, const std::vector<Hole>& holes, const KeyPolicy& policy) {
  if (request.body.empty()) return {};
  if (const std::optional<std::vector<Param>> params = body_params(request, holes)) {
    std::string text;
    append_items(text, items_of(*params, policy));
    return text.empty() ? text : content_hash(text, {});
  }
  std::vector<Hole> body_holes = holes;
  std::erase_if(body_holes, [](const Hole& hole) { return hole.part != RequestPart::body; });
  return content_hash(request.body, body_holes);
}

RequestKey key_of_other(const http::Request& request, std::string_view base_path, const std::vector<Hole>& holes,
                        const KeyPolicy& policy) {
  RequestKey key;
  key.method = request.method;
  key.text = path_text(request, base_path, holes);
  key.items = items_of(target_params(request, holes), policy);
  append_items(key.text, key.items);
  const bool body_has_hole =
      std::any_of(holes.begin(), holes.end(), [](const Hole& hole) { return hole.part == RequestPart::body; });
  const std::string hash = body_hash(request, holes, policy);
  if (!hash.empty()) key.text.append(" #").append(hash);
  key.has_holes = key.text.find('<') != std::string::npos || (body_has_hole && !hash.empty());
  return key;
}

RequestKey::Item parse_item(std::string_view text) {
  const std::size_t equals = std::min(text.find('='), text.size());
  const std::string_view value = text.substr(std::min(equals + 1, text.size()));
  return {std::string(text.substr(0, equals)), std::string(value), value.find('<') != std::string_view::npos};
}

}  // namespace

std::string RequestKey::with_label(std::string_view label) const {
  if (!is_call || api.label.empty()) return text;
  const std::string_view after_api = std::string_view(text).substr(std::min(text.find('/'), text.size()));
  std::string result;
  append_escaped(result, ApiName{std::string(label), api.rest}.full(), KeyTextPart::segment);
  return result.append(after_api);
}

RequestKey RequestKey::parse(std::string_view text) {
  RequestKey key;
  key.text = text;
  key.has_holes = text.find('<') != std::string_view::npos;
  const std::size_t space = text.find(' ');
  key.is_call = space == std::string_view::npos;
  if (!key.is_call) {
    key.method = http::percent_decode(text.substr(0, space), false);
    text.remove_prefix(space + 1);
    text = text.substr(0, text.find(' '));
  }
  const std::size_t mark = text.find('?');
  std::string_view head = text.substr(0, mark);
  std::string_view items = mark == std::string_view::npos ? std::string_view() : text.substr(mark + 1);
  const auto next = [](std::string_view& rest, char separator) {
    const std::size_t end = std::min(rest.find(separator), rest.size());
    const std::string_view piece = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return piece;
  };
  if (key.is_call) {
    key.api = ApiName::split(http::percent_decode(next(head, '/'), false));
    key.version = http::percent_decode(next(head, '/'), false);
    key.method = http::percent_decode(head, false);
  }
  while (!items.empty()) key.items.push_back(parse_item(next(items, '&')));
  return key;
}

KeyPolicy::KeyPolicy(int number) : number_(number) {
  if (number != current_number) {
    throw std::invalid_argument("key policy " + std::to_string(number) + " is not known to this program, which knows " +
                                std::to_string(current_number));
  }
}

bool KeyPolicy::leaves_out(std::string_view param_name) const {
  return std::find(left_out_names.begin(), left_out_names.end(), param_name) != left_out_names.end();
}

RequestKey KeyPolicy::key(const http::Request& request, std::string_view base_path,
                          const std::vector<Hole>& holes) const {
  if (const std::optional<Call> call = Call::from(request, base_path, holes)) return key(*call);
  return key_of_other(request, base_path, holes, *this);
}

RequestKey KeyPolicy::key(const Call& call) const {
  RequestKey key;
  key.is_call = true;
  key.api = call.name();
  key.version = call.version();
  key.method = call.folded_method();
  key.text.reserve(128);
  append_escaped(key.text, call.api(), KeyTextPart::segment);
  key.text += '/';
  append_escaped(key.text, key.version, KeyTextPart::segment);
  key.text += '/';
  append_escaped(key.text, key.method, KeyTextPart::segment);
  if (call.is_login()) {
    add_login_items(key, call);
    return key;
  }
  key.items = items_of(call.params(), *this);
  append_items(key.text, key.items);
  key.has_holes = any_hole(key.items);
  return key;
}

}  // namespace tapedeck::api
