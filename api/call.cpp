#include "api/call.h"

#include <algorithm>

#include "api/request_params.h"
#include "base/text.h"

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

/// The parameters of a request's two places.
struct CallParams {
  OwnNames own;
  std::vector<Param> others;
};

/// A name in the body replaces the same name in the query.
void replace_by(CallParams& query, CallParams body) {
  std::erase_if(query.others, [&body](const Param& param) {
    const std::optional<std::string>* const own = body.own.place(param.name);
    return (own != nullptr && *own) || std::any_of(body.others.begin(), body.others.end(),
                                                   [&param](const Param& other) { return other.name == param.name; });
  });
  query.others.insert(query.others.end(), std::make_move_iterator(body.others.begin()),
                      std::make_move_iterator(body.others.end()));
  for (const auto name : {&OwnNames::api, &OwnNames::version, &OwnNames::method}) {
    if (body.own.*name) query.own.*name = std::move(body.own.*name);
  }
}

CallParams params_of(const http::Request& request, const std::vector<Hole>& holes) {
  CallParams params;
  params.others = target_params(request, holes, &params.own);
  CallParams in_body;
  if (auto others = body_params(request, holes, &in_body.own)) {
    in_body.others = std::move(*others);
    replace_by(params, std::move(in_body));
  }
  return params;
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

  auto [own, params] = params_of(request, holes);
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

std::string Call::folded_method() const { return base::fold(method_); }

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
