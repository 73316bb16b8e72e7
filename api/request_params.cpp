#include "api/request_params.h"

#include <algorithm>

#include "api/key_text.h"
#include "http/message/multipart.h"

namespace tapedeck::api {
namespace {

/// Adds the holes of a request that lie in the raw value of this parameter.
void place_holes(Param& param, std::string_view part_text, bool is_urlencoded, const std::vector<Hole>& holes) {
  const std::string_view raw = part_text.substr(param.raw.offset, param.raw.length);
  const auto decoded_length = [&](std::size_t offset, std::size_t length) {
    return is_urlencoded ? http::percent_decode(raw.substr(offset, length), true).size() : length;
  };
  std::vector<Hole> found = holes_within(holes, param.part, param.raw);
  for (Hole& hole : found) {
    hole.span = {decoded_length(0, hole.span.offset), decoded_length(hole.span.offset, hole.span.length)};
  }
  param.holes = holes_within(found, param.part, {0, param.value.size()});
}

/// Returns true if `own` has an empty place for a parameter of that name, and moves the value there.
bool goes_to(OwnNames* own, std::string_view name, std::string& value) {
  std::optional<std::string>* const place = own == nullptr ? nullptr : own->place(name);
  if (place == nullptr || *place) return false;
  *place = std::move(value);
  return true;
}

std::vector<Param> urlencoded_params(std::string_view text, RequestPart part, std::size_t text_offset, OwnNames* own) {
  constexpr std::size_t usual = 4;  // typical number of parameters of a call besides its name
  std::vector<Param> params;
  params.reserve(usual);
  for (std::size_t at = 0; const auto pair = http::next_pair(text, at);) {
    std::string name = http::percent_decode(text.substr(pair->name.offset, pair->name.length), true);
    std::string value = http::percent_decode(text.substr(pair->value.offset, pair->value.length), true);
    if (goes_to(own, name, value)) continue;
    Param& param = params.emplace_back();
    param.name = std::move(name);
    param.value = std::move(value);
    param.part = part;
    param.raw = {pair->value.offset + text_offset, pair->value.length};
  }
  return params;
}

std::optional<std::vector<Param>> multipart_params(const http::Request& request, OwnNames* own) {
  const auto boundary = http::multipart_boundary(request.headers);
  if (!boundary) return std::nullopt;
  auto fields = http::parse_multipart(request.body, *boundary);
  if (!fields) return std::nullopt;
  std::vector<Param> params;
  for (http::MultipartField& field : *fields) {
    std::string value = request.body.substr(field.content.offset, field.content.length);
    if (goes_to(own, field.name, value)) continue;
    Param& param = params.emplace_back();
    param.name = std::move(field.name);
    param.value = std::move(value);
    param.part = RequestPart::body;
    param.raw = field.content;
    param.filename = std::move(field.filename);
  }
  return params;
}

/// Returns true if each pair has a `=` and a plain name.
bool looks_like_form(std::string_view text) {
  const auto is_plain = [](char c) {
    return base::is_alnum(c) || c == '_' || c == '.' || c == '-' || c == '[' || c == ']';
  };
  std::size_t pairs = 0;
  for (std::size_t at = 0; const auto pair = http::next_pair(text, at); ++pairs) {
    const std::size_t behind = pair->name.offset + pair->name.length;
    if (behind >= text.size() || text[behind] != '=') return false;
    const std::string name = http::percent_decode(text.substr(pair->name.offset, pair->name.length), true);
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_plain)) return false;
  }
  return pairs > 0;
}

std::vector<Param> form_params(const http::Request& request, const std::vector<Hole>& holes, OwnNames* own) {
  std::vector<Param> params = urlencoded_params(request.body, RequestPart::body, 0, own);
  for (Param& param : params) {
    if (!holes.empty()) place_holes(param, request.body, true, holes);
  }
  return params;
}

}  // namespace

std::optional<std::string>* OwnNames::place(std::string_view name) {
  if (name == "api") return &api;
  if (name == "version") return &version;
  return name == "method" ? &method : nullptr;
}

std::vector<Param> target_params(const http::Request& request, const std::vector<Hole>& holes, OwnNames* own) {
  const http::TargetParts target = http::split_target(request.target);
  if (!target.has_query) return {};
  std::vector<Param> params = urlencoded_params(target.query, RequestPart::target, target.path.size() + 1, own);
  if (holes.empty()) return params;
  for (Param& param : params) place_holes(param, request.target, true, holes);
  return params;
}

std::optional<std::vector<Param>> body_params(const http::Request& request, const std::vector<Hole>& holes,
                                              OwnNames* own) {
  if (request.body.empty()) return std::nullopt;
  if (http::is_form(request.headers)) return form_params(request, holes, own);
  std::optional<std::vector<Param>> params = multipart_params(request, own);
  if (holes.empty() || !params) return params;
  for (Param& param : *params) place_holes(param, request.body, false, holes);
  return params;
}

std::optional<std::vector<Param>> call_body_params(const http::Request& request, const std::vector<Hole>& holes,
                                                   OwnNames* own) {
  if (auto params = body_params(request, holes, own)) return params;
  if (request.body.empty() || request.body.size() > longest_sniffed) return std::nullopt;
  if (auto members = json_params_of_body(request.body, holes, own)) return members;
  if (!looks_like_form(request.body)) return std::nullopt;
  return form_params(request, holes, own);
}

std::string_view path_without_base(std::string_view path, std::string_view base_path) {
  while (base_path.ends_with('/')) base_path.remove_suffix(1);
  if (base_path.empty() || !path.starts_with(base_path)) return path;
  const std::string_view rest = path.substr(base_path.size());
  return rest.starts_with('/') ? rest : path;
}

}  // namespace tapedeck::api
