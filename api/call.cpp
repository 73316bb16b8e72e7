#include "api/call.h"

#include <algorithm>

#include "api/request_params.h"

namespace tapedeck::api {
namespace {

constexpr std::string_view api_root = "/webapi/";
constexpr std::string_view script_ending = ".cgi";

/// A path as a server reads it: decoded, without doubled slashes and dot segments.
std::string normalised(std::string_view path) {
  const std::string decoded = http::percent_decode(path, false);
  std::vector<std::string_view> kept;
  bool is_folder = false;
  for (std::size_t begin = 0; begin < decoded.size();) {
    const std::size_t end = std::min(decoded.find('/', begin), decoded.size());
    const std::string_view segment = std::string_view(decoded).substr(begin, end - begin);
    is_folder = end < decoded.size() || segment == "." || segment == "..";
    if (segment == "..") {
      if (!kept.empty()) kept.pop_back();
    } else if (!segment.empty() && segment != ".") {
      kept.push_back(segment);
    }
    begin = end + 1;
  }
  std::string result;
  for (const std::string_view segment : kept) result.append("/").append(segment);
  return is_folder ? result + "/" : result;
}

bool needs_normalising(std::string_view path) {
  return path.find('%') != std::string_view::npos || path.find("//") != std::string_view::npos ||
         path.find("/.") != std::string_view::npos;
}

/// What stands behind the script's name in an API path ("SVC.Core.AppPortal", often nothing), or nothing when it is
/// none.
std::optional<std::string> api_path_suffix(std::string_view path, std::string_view base_path) {
  std::string owned;
  if (needs_normalising(path)) path = owned = normalised(path);
  path = path_without_base(path, base_path);
  if (!path.starts_with(api_root)) return std::nullopt;
  path.remove_prefix(api_root.size());
  for (std::size_t at = path.find(script_ending); at != std::string_view::npos; at = path.find(script_ending, at + 1)) {
    const std::size_t end = at + script_ending.size();
    if (at == 0 || path[at - 1] == '/' || (end < path.size() && path[end] != '/')) continue;
    return std::string(path.substr(std::min(end + 1, path.size())));
  }
  return std::nullopt;
}

/// A name in the body replaces the same name in the query.
std::vector<Param> merged(std::vector<Param> query, std::vector<Param> body) {
  if (body.empty()) return query;
  std::erase_if(query, [&body](const Param& param) {
    return std::any_of(body.begin(), body.end(), [&param](const Param& other) { return other.name == param.name; });
  });
  query.insert(query.end(), std::make_move_iterator(body.begin()), std::make_move_iterator(body.end()));
  return query;
}

struct OwnNames {
  std::optional<std::string> api, version, method;
};

/// Takes the first api, version and method out of the list.
OwnNames take_own_names(std::vector<Param>& params) {
  OwnNames own;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const std::string& name = params[i].name;
    std::optional<std::string>* const place = name == "api"       ? &own.api
                                              : name == "version" ? &own.version
                                              : name == "method"  ? &own.method
                                                                  : nullptr;
    if (place != nullptr && !*place) {
      *place = std::move(params[i].value);
    } else {
      if (kept != i) params[kept] = std::move(params[i]);
      ++kept;
    }
  }
  params.erase(params.begin() + static_cast<std::ptrdiff_t>(kept), params.end());
  return own;
}

}  // namespace

ApiName ApiName::split(std::string_view name) {
  const std::size_t dot = name.find('.');
  if (dot == std::string_view::npos) return {{}, std::string(name)};
  return {std::string(name.substr(0, dot)), std::string(name.substr(dot + 1))};
}

std::optional<Call> Call::from(const http::Request& request, std::string_view base_path,
                               const std::vector<Hole>& holes) {
  if (request.method == "OPTIONS" || request.method == "HEAD") return std::nullopt;
  const http::TargetParts target = http::split_target(request.target);
  std::optional<std::string> suffix = api_path_suffix(target.path, base_path);
  if (!suffix) return std::nullopt;

  std::vector<Param> params =
      merged(target_params(request, holes), body_params(request, holes).value_or(std::vector<Param>{}));
  OwnNames own = take_own_names(params);
  return std::optional<Call>(std::in_place, std::move(own.api).value_or(std::move(*suffix)),
                             std::move(own.version).value_or(std::string()),
                             std::move(own.method).value_or(std::string()), std::move(params));
}

Call::Call(std::string api, std::string version, std::string method, std::vector<Param> params)
    : api_(std::move(api)),
      version_(std::move(version)),
      method_(std::move(method)),
      name_(ApiName::split(api_)),
      params_(std::move(params)) {}

std::string Call::folded_method() const {
  std::string folded = method_;
  for (char& c : folded) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return folded;
}

const Param* Call::param(std::string_view name) const {
  for (const Param& candidate : params_) {
    if (candidate.name == name) return &candidate;
  }
  return nullptr;
}

std::optional<std::string_view> Call::value(std::string_view name) const {
  const Param* found = param(name);
  if (found == nullptr) return std::nullopt;
  return std::string_view(found->value);
}

bool Call::is(std::string_view api_rest, std::string_view method) const {
  return name_.rest == api_rest && http::equal_no_case(method_, method);
}

}  // namespace tapedeck::api
