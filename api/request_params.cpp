#include "api/request_params.h"

#include <algorithm>

#include "api/key_text.h"
#include "base/text.h"
#include "http/message/multipart.h"

namespace tapedeck::api {
namespace {

/// Adds the holes of a request that lie in the raw value of this parameter.
void place_holes(Param& param, std::string_view part_text, bool is_urlencoded, const std::vector<Hole>& in_order) {
  const std::string_view raw = part_text.substr(param.raw.offset, param.raw.length);
  std::size_t done = 0, decoded = 0;
  const auto decoded_to = [&](std::size_t end) {
    const std::string_view piece = raw.substr(done, end - done);
    decoded += is_urlencoded ? http::percent_decode(piece, true).size() : piece.size();
    done = end;
    return decoded;
  };
  std::vector<Hole> found = holes_within(in_order, param.raw);
  for (Hole& hole : found) {
    const std::size_t end = hole.span.offset + hole.span.length, begin = decoded_to(hole.span.offset);
    hole.span = {begin, decoded_to(end) - begin};
  }
  std::erase_if(found, [](const Hole& hole) { return hole.span.length == 0; });
  param.holes = holes_within(found, {0, param.value.size()});
}

void place_holes(std::vector<Param>& params, std::string_view text, RequestPart part, bool is_urlencoded,
                 const std::vector<Hole>& holes) {
  if (holes.empty()) return;
  const std::vector<Hole> in_order = holes_in_order(holes, part);
  for (Param& param : params) place_holes(param, text, is_urlencoded, in_order);
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

/// Returns the parameters of a Content-Disposition other than name and filename, and the type if it is not form-data.
std::string rest_of_disposition(std::string_view value) {
  std::string rest;
  while (!value.empty()) {
    std::size_t end = 0;
    for (bool quoted = false; end < value.size() && (quoted || value[end] != ';'); ++end) {
      if (value[end] == '"') quoted = !quoted;
      if (value[end] == '\\' && quoted && end + 1 < value.size()) ++end;
    }
    end = std::min(end, value.size());
    const std::string_view one = base::trim(value.substr(0, end), " \t");
    const std::string_view name = base::trim(one.substr(0, std::min(one.find('='), one.size())), " \t");
    const bool is_known = http::equal_no_case(name, "name") || http::equal_no_case(name, "filename") ||
                          http::equal_no_case(one, "form-data");
    if (!is_known) rest.append(rest.empty() ? "" : "; ").append(one);
    value.remove_prefix(std::min(end + 1, value.size()));
  }
  return rest;
}

/// Returns true for a header of a field that means the same without it (RFC 7578).
bool is_default(std::string_view name, std::string_view value, bool is_file) {
  const std::string folded = base::fold(value);
  if (http::equal_no_case(name, "Content-Length")) return true;
  if (http::equal_no_case(name, "Content-Transfer-Encoding")) {
    return folded == "7bit" || folded == "8bit" || folded == "binary";
  }
  return http::equal_no_case(name, "Content-Type") && !is_file && folded.starts_with("text/plain");
}

std::string part_head_of(std::string_view head, bool is_file) {
  std::vector<std::string> lines;
  for (const http::Header& header : http::Headers::from_text(head)) {
    if (is_default(header.name, header.value, is_file)) continue;
    const bool is_disposition = http::equal_no_case(header.name, "Content-Disposition");
    std::string value = is_disposition ? rest_of_disposition(header.value) : std::string(header.value);
    if (value.empty()) continue;
    const bool is_type = http::equal_no_case(header.name, "Content-Type");
    lines.push_back(is_type ? std::move(value) : base::fold(header.name) + ": " + value);
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text.append(text.empty() ? "" : ", ").append(line);
  return text;
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
    const std::string_view head = std::string_view(request.body).substr(field.head.offset, field.head.length);
    param.part_head = part_head_of(head, field.filename.has_value());
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
  place_holes(params, request.body, RequestPart::body, true, holes);
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
  place_holes(params, request.target, RequestPart::target, true, holes);
  return params;
}

std::optional<std::vector<Param>> body_params(const http::Request& request, const std::vector<Hole>& holes,
                                              OwnNames* own) {
  if (request.body.empty()) return std::nullopt;
  if (http::is_form(request.headers)) return form_params(request, holes, own);
  std::optional<std::vector<Param>> params = multipart_params(request, own);
  if (params) place_holes(*params, request.body, RequestPart::body, false, holes);
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
  if (rest.empty()) return "/";
  return rest.starts_with('/') ? rest : path;
}

}  // namespace tapedeck::api
