#include "api/call.h"

#include <algorithm>
#include <unordered_set>

#include "api/request_params.h"
#include "api/session_request.h"
#include "base/text.h"

namespace tapedeck::api {
namespace {

constexpr std::string_view api_root = "/webapi/";

/// Returns a path as a server interprets it: decoded, without double slashes and dot segments.
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

/// The parts of a path that may name an API.
struct ApiPath {
  std::string prefix;
  std::string whole;         ///< without the base path
  std::string suffix;        ///< after the script's name: "SVC.Core.AppPortal", often empty
  bool needs_names = false;  ///< only an API path if the request names an API and a method
};

/// Returns the end of the first script with this extension at or after `from`, or npos.
std::size_t script_end(std::string_view path, std::string_view ending, std::size_t from) {
  for (std::size_t at = path.find(ending, from); at != std::string_view::npos; at = path.find(ending, at + 1)) {
    const std::size_t end = at + ending.size();
    if (at > from && path[at - 1] != '/' && (end == path.size() || path[end] == '/')) return end;
  }
  return std::string_view::npos;
}

std::optional<ApiPath> api_path(std::string_view path, std::string_view base_path) {
  std::string owned;
  if (needs_normalising(path)) path = owned = normalised(path);
  path = path_without_base(path, base_path);
  const auto parts_at = [&](std::size_t prefix, std::size_t end, bool needs_names) {
    const std::string_view suffix = path.substr(std::min(end + 1, path.size()));
    return ApiPath{std::string(path.substr(0, prefix)), std::string(path), std::string(suffix), needs_names};
  };
  const std::size_t root = path.find(api_root);
  for (const std::string_view ending : {".cgi", ".php"}) {
    const std::size_t from = root == std::string_view::npos ? root : root + api_root.size();
    const std::size_t end = from == std::string_view::npos ? from : script_end(path, ending, from);
    if (end != std::string_view::npos) return parts_at(path.substr(0, end).rfind(api_root), end, ending != ".cgi");
  }
  const std::size_t end = std::min(script_end(path, ".cgi", 0), script_end(path, ".php", 0));
  if (end == std::string_view::npos) return std::nullopt;
  return parts_at(end, end, true);
}

/// Returns the name without the quotes of a JSON string: some clients write every value as JSON.
std::string plain_name(std::string name) {
  const std::string_view inner = without_quotes(name);
  return inner.size() == name.size() ? std::move(name) : std::string(inner);
}

/// The parameters of one part of a request.
struct CallParams {
  OwnNames own;
  std::vector<Param> others;
  bool has_opaque_body = false;
};

/// Replaces parameters of the query by those of the body that have the same name.
void replace_by(CallParams& query, CallParams body) {
  std::unordered_set<std::string_view> names;
  if (!query.others.empty()) {
    for (const Param& param : body.others) names.insert(param.name);
  }
  std::erase_if(query.others, [&](const Param& param) {
    const std::optional<std::string>* const own = body.own.place(param.name);
    return (own != nullptr && *own) || names.contains(param.name);
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
  if (auto others = call_body_params(request, holes, &in_body.own)) {
    in_body.others = std::move(*others);
    replace_by(params, std::move(in_body));
  } else {
    params.has_opaque_body = !request.body.empty();
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
  std::optional<ApiPath> path = api_path(target.path, base_path);
  if (!path) return std::nullopt;

  auto [own, params, has_opaque_body] = params_of(request, holes);
  const bool names_api = path->suffix.empty() || !own.api || path->suffix == plain_name(*own.api);
  if (path->needs_names && (!own.api || own.api->empty() || !own.method || own.method->empty())) return std::nullopt;
  std::string api = std::move(own.api).value_or(path->needs_names ? std::string() : std::move(path->suffix));
  if (!names_api) path->prefix = std::move(path->whole);
  auto call =
      std::optional<Call>(std::in_place, std::move(api), std::move(own.version).value_or(std::string()),
                          std::move(own.method).value_or(std::string()), std::move(params), std::move(path->prefix));
  call->has_opaque_body_ = has_opaque_body;
  return call;
}

Call::Call(std::string api, std::string version, std::string method, std::vector<Param> params, std::string prefix)
    : api_(plain_name(std::move(api))),
      version_(plain_name(std::move(version))),
      method_(plain_name(std::move(method))),
      prefix_(std::move(prefix)),
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

std::string_view Call::session_id() const { return without_quotes(value("_sid").value_or("")); }

bool Call::is_any_login() const { return session_step(*this) == SessionStep::login; }

bool Call::is_session_call() const {
  const std::string& api = name_.rest;
  const bool is_of_sessions =
      api == "API.Auth" || api.starts_with("API.Auth.") || api.ends_with(".Auth") || api == "Core.Sharing.Login";
  const auto is_method = [this](std::string_view method) { return http::equal_no_case(method_, method); };
  return is_of_sessions && (session_step(*this) != SessionStep::none || is_method("resume") || is_method("token"));
}

std::string_view without_quotes(std::string_view value) {
  const bool is_quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return is_quoted && value.find('\\') == std::string_view::npos ? value.substr(1, value.size() - 2) : value;
}

bool Call::is(std::string_view api_rest, std::string_view method) const {
  return name_.rest == api_rest && http::equal_no_case(method_, method);
}

}  // namespace tapedeck::api
