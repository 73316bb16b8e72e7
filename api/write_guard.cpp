#include "api/write_guard.h"

#include <algorithm>
#include <array>

#include "api/catalog.h"
#include "api/request_params.h"
#include "api/session_request.h"
#include "api/sure_reading.h"
#include "api/transcript.h"
#include "http/message/urlencoded.h"

namespace tapedeck::api {
namespace {

// The table is documented in docs/recording.md, "Which calls change the device".
constexpr std::array<std::string_view, 6> read_verbs = {"info", "query", "status", "export", "keepalive", "keep_alive"};
constexpr std::array<std::string_view, 8> read_beginnings = {"get",      "list",  "load",   "check",
                                                             "download", "thumb", "stream", "view"};

/// Used for methods that the catalog does not have (docs/recording.md, "Which calls change the device"). A device
/// executes an unknown write without checking arguments, so every method that is not clearly a read counts as a write.
bool is_read_verb(std::string_view folded_method) {
  if (!is_plain_name(folded_method)) return false;
  return std::find(read_verbs.begin(), read_verbs.end(), folded_method) != read_verbs.end() ||
         std::any_of(read_beginnings.begin(), read_beginnings.end(),
                     [folded_method](std::string_view beginning) { return folded_method.starts_with(beginning); });
}

Effect worst(Effect a, Effect b) { return std::max(a, b); }

Effect effect_of(const Call& call, int depth);

// Each level of a nested compound contains the text of the next one, so at most eight levels are read.
Effect compound_effect(const Call& call, int depth) {
  constexpr int deepest = 8;
  if (depth == deepest) return Effect::write;
  const std::optional<std::vector<Call>> parts = call.parts();
  if (!parts) return Effect::write;
  Effect effect = Effect::read;
  for (const Call& part : *parts) effect = worst(effect, effect_of(part, depth + 1));
  return effect;
}

/// Returns true if the request names a second API, version, or method. It is unknown which one the device uses.
bool is_ambiguous(const Call& call) {
  const std::vector<Param>& params = call.params();
  return call.param("api") != nullptr || call.param("version") != nullptr || call.param("method") != nullptr ||
         !is_plain_name(call.api()) ||
         std::any_of(params.begin(), params.end(), [](const Param& param) { return resembles_own_name(param.name); }) ||
         (call.is_compound() &&
          std::count_if(params.begin(), params.end(), [](const Param& param) { return param.name == "compound"; }) > 1);
}

Effect effect_of(const Call& call, int depth) {
  if (!call.complete() || is_ambiguous(call)) return Effect::write;
  if (call.is_compound()) return compound_effect(call, depth);
  if (call.is_session_call()) return Effect::session;
  if (const CatalogOperation* operation = catalog_operation(call.name().rest, call.method())) {
    return operation->changes_state ? Effect::write : Effect::read;
  }
  return is_read_verb(call.folded_method()) ? Effect::read : Effect::write;
}

/// Returns the effect of another interpretation of a request. Missing names are taken from `call`.
Effect effect_of_reading(const Call& reading, const Call& call) {
  if (reading.method().empty()) return Effect::read;
  const std::string& api = reading.api().empty() ? call.api() : reading.api();
  const std::string& version = reading.version().empty() ? call.version() : reading.version();
  return effect_of(Call(api, version, reading.method(), reading.params()), 0);
}

/// Returns true for a request of a script that names a method, although it is not a call.
bool names_method(const http::Request& request) {
  const std::vector<Param> params =
      may_be_script(http::split_target(request.target).path) ? target_params(request, {}) : std::vector<Param>();
  return std::any_of(params.begin(), params.end(), [](const Param& param) {
    return param.name == "method" || param.name == "compound" || resembles_own_name(param.name);
  });
}

}  // namespace

Effect WriteGuard::effect(const Call& call) { return effect_of(call, 0); }

Effect WriteGuard::effect(const http::Request& request, std::string_view base_path) {
  return effect(request, Call::from(request, base_path), base_path);
}

Effect WriteGuard::effect(const http::Request& request, const std::optional<Call>& call, std::string_view base_path) {
  if (request.method == "OPTIONS" || request.method == "HEAD") {
    // These verbs have no key, but a device may run the call with any verb.
    http::Request asked = request;
    asked.method = "GET";
    return effect(asked, base_path);
  }
  const http::TargetParts target = http::split_target(request.target);
  if (may_be_script(target.path) && !(is_sure_path(target.path) && is_sure_query(target.query))) return Effect::write;
  if (!call) {
    if (names_method(request)) return Effect::write;
    if (session_step(request, nullptr) != SessionStep::none) return Effect::session;
    // The messages of socket.io are no writes, whether they are sent by requests or through a WebSocket.
    const bool is_message = request.method == "POST" && !may_be_script(target.path) && is_socket_io(request.target);
    return request.method == "GET" || is_message ? Effect::read : Effect::write;
  }
  if (!is_sure_body(request, !call->has_opaque_body())) return Effect::write;
  Effect result = effect(*call);
  if (request.body.empty()) return result;
  // Names in the body replace those in the query here. A device may do it the other way round, or read any body as a
  // form, so the worst effect of all interpretations counts.
  const http::Request query_only{request.method, request.target, request.minor_version, {}, {}};
  const std::optional<Call> query_call = Call::from(query_only, base_path);
  if (query_call) result = worst(result, effect_of_reading(*query_call, *call));
  if (http::is_form(request.headers)) return result;
  http::Request as_form = request;
  as_form.headers.set("Content-Type", "application/x-www-form-urlencoded");
  const std::optional<Call> form_call = Call::from(as_form, base_path);
  const bool says_more = form_call && (!query_call || query_call->method() != form_call->method() ||
                                       query_call->api() != form_call->api());
  return says_more ? worst(result, effect_of_reading(*form_call, *call)) : result;
}

}  // namespace tapedeck::api
