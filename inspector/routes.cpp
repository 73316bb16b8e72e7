#include "inspector/routes.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "inspector/input.h"
#include "inspector/shown.h"
#include "replay/overlays/overlay_owner.h"
#include "replay/replay_handler.h"

namespace tapedeck::inspector {
namespace {

using nlohmann::json;

using Run = Route::Run;

constexpr auto table = std::to_array<Route>({
    {"GET", "/state", &Control::state},
    {"GET", "/events", &Control::events, "from"},
    {"GET", "/journal", &Control::journal, "from, limit, outcome, api, method, session, scope"},
    {"GET", "/unused", &Control::unused, "from, limit", Run::replay},
    {"GET", "/sessions", &Control::sessions, "from, limit", Run::replay},
    {"POST", "/sessions/reset", &Control::reset_sessions, "all, name", Run::replay},
    {"POST", "/sessions/drop", &Control::drop_sessions, "all, name", Run::replay},
    {"GET", "/clock", &Control::clock, "scope"},
    {"GET", "/scope", &Control::scope},
    {"POST", "/scope", &Control::open_port, "name, listen"},
    {"POST", "/scope/runs", &Control::next_run, "name"},
    {"POST", "/scope/result", &Control::scope_result, "name, ok"},
    {"POST", "/assert", &Control::assertion, "match, count, at_least, at_most, never, order, from, within_ms"},
    {"GET", "/requests/", &Control::request, "from"},
    {"GET", "/recordings", &Control::recordings, "from, limit, cassette, key, take, lane, scope, id", Run::replay},
    {"GET", "/rules", &Control::rules, "", Run::replay},
    {"POST", "/rules", &Control::add_rule, "api, method, ignore, bind, any_version, at_end", Run::replay},
    {"POST", "/rules/delete", &Control::delete_rule, "id", Run::replay},
    {"POST", "/mark", &Control::mark, "name", Run::record},
    {"POST", "/finish", &Control::finish, "", Run::record},
    {"GET", "/suspects", &Control::suspects, "", Run::record},
    {"GET", "/overlays", &Control::overlays, "format, set", Run::replay},
    {"POST", "/overlays", &Control::post_overlays, "", Run::replay, true},
    {"POST", "/overlays/check", &Control::check_overlays, "", Run::replay, true},
    {"POST", "/overlays/enable", &Control::enable_overlays, "name, enabled", Run::replay},
    {"GET", "/held", &Control::held, "", Run::replay},
    {"POST", "/held/release", &Control::release_held, "all, overlay, request, status, error, body, fault", Run::replay},
    {"POST", "/overlays/delete", &Control::delete_overlays, "set", Run::replay},
});

std::string_view kind_name(replay::Session::Kind kind) {
  return kind == replay::Session::Kind::minted ? "login" : "adopted";
}

/// Reads {"all":true} or {"name":…}. An empty object is an error, so that nothing affects all by accident. Returns
/// nothing for all.
std::optional<std::string> one_or_all(const json& object) {
  const bool all = object.contains("all");
  if (all == object.contains("name")) throw BadInput("either \"all\":true or a \"name\" is required");
  if (all && object["all"] != json(true)) throw BadInput("all must be true");
  if (all) return std::nullopt;
  return text_in(object, "name");
}

api::ScopeName scope_in(const json& object) {
  const auto scope = api::ScopeName::parse(text_in(object, "name"));
  if (!scope)
    throw BadInput("name must be a scope: percent-encoded UTF-8 of at most 1,000 bytes, followed by #N for run N");
  return *scope;
}

ControlResponse no_such_session() {
  return control_error(404, "no such session or scope; GET /sessions and GET /scope list them");
}

/// Calls `one` with the session that the call names, or `all` if it names none.
ControlResponse change_sessions(replay::ReplayHandler& replay, const ControlCall& call, void (replay::Scopes::*all)(),
                                bool (replay::Scopes::*one)(std::string_view name)) {
  if (const auto name = one_or_all(call.object)) {
    const auto owner = replay::overlay_owner_named(replay.scopes(), *name);
    if (!(replay.scopes().*one)(*name)) return no_such_session();
    if (owner) replay.overlays().counts().forget_effects(*owner);
  } else {
    (replay.scopes().*all)();
    replay.overlays().counts().forget_all();
  }
  return good({{"done", true}});
}

}  // namespace

std::span<const Route> routes() { return table; }

bool Route::takes(std::string_view path_sent) const {
  constexpr std::size_t most_digits = 15;
  if (!is_numbered()) return path_sent == path;
  if (!path_sent.starts_with(path)) return false;
  const std::string_view digits = path_sent.substr(path.size());
  return !digits.empty() && digits.size() <= most_digits && std::all_of(digits.begin(), digits.end(), base::is_digit);
}

const Route* find_route(std::string_view path, std::string_view method) {
  const Route* found = nullptr;
  for (const Route& one : table) {
    if (!one.takes(path)) continue;
    if (one.method == method) return &one;
    if (found == nullptr) found = &one;
  }
  return found;
}

ControlResponse good(const json& object) { return {200, object.dump(-1, ' ', false, json::error_handler_t::replace)}; }

ControlResponse control_error(int status, std::string_view text) {
  ControlResponse response = good({{"error", text}});
  response.status = status;
  return response;
}

Control::Control(Subject subject) : subject_(std::move(subject)) {}

ControlResponse Control::respond(const Route& route, std::string_view query, std::string_view body,
                                 std::uint64_t number) {
  if (route.run == Run::replay && subject_.replay == nullptr) {
    return control_error(404, std::string(route.path) + " is available only in replay and exec");
  }
  if (route.run == Run::record && !subject_.recording.finish) {
    return control_error(404, std::string(route.path) + " is available only in record");
  }
  try {
    const bool is_post = route.method == "POST";
    ControlCall call{Query(query, is_post ? "" : route.names), {}, body, number};
    if (is_post && !route.takes_overlays) call.object = read_object(body, route.names);
    return (this->*route.respond)(call);
  } catch (const BadInput& error) {
    return control_error(400, error.what());
  } catch (const std::exception&) {
    return control_error(500, "cannot create the response");
  }
}

ControlResponse Control::journal(const ControlCall& call) {
  const Query& query = call.query;
  std::uint64_t next = query.number("from", 1, 0, largest_number);
  const std::uint64_t limit = query.number("limit", usual_page, 1, largest_page);
  journal::JournalMatch match;
  match.outcome = query.text("outcome");
  match.api = query.text("api");
  match.method = query.text("method");
  match.session = query.text("session");
  match.scope = query.text("scope");
  const std::uint64_t oldest = subject_.journal->oldest();
  next = std::max(next, oldest);
  json entries = json::array();
  for (bool more = true; more && entries.size() < limit;) {
    const auto lines = subject_.journal->entries(next, largest_page);
    more = !lines.empty();
    for (const journal::JournalLine& line : lines) {
      if (entries.size() == limit) break;
      next = line->number + 1;
      if (match.fits(*line)) entries.push_back(json::parse(journal::to_json(*line)));
    }
  }
  const std::uint64_t total = subject_.journal->total();
  return good({{"entries", std::move(entries)}, {"next", next}, {"oldest", oldest}, {"total", total}});
}

json Control::counts() const {
  json counts = json::object();
  for (const auto& [name, value] : subject_.counters()) counts[name] = value;
  return counts;
}

ControlResponse Control::state(const ControlCall& /*call*/) {
  json state = {{"command", subject_.command},          {"url", subject_.url},
                {"version", TAPEDECK_VERSION},          {"counters", counts()},
                {"now_us", subject_.journal->now_us()}, {"oldest", subject_.journal->oldest()},
                {"total", subject_.journal->total()},   {"journal_lines_not_written", subject_.journal->not_written()}};
  if (!subject_.cassettes.empty()) state["cassettes"] = subject_.cassettes;
  if (!subject_.device.empty()) state["device"] = subject_.device;
  if (subject_.recording.learned) {
    json learned = json::object();
    for (const auto& [name, count] : subject_.recording.learned()) learned[name] = count;
    state["learned"] = std::move(learned);
  }
  return good(state);
}

ControlResponse Control::list_uses(const Query& query, const std::function<bool(const replay::SequenceUse&)>& fits,
                                   const std::function<void(const replay::SequenceUse&, json&)>& add) const {
  const std::uint64_t from = query.number("from", 0, 0, largest_number);
  const std::uint64_t limit = query.number("limit", usual_page, 1, largest_page);
  json list = json::array();
  std::uint64_t index = 0;
  bool more = false;
  subject_.replay->each_use([&](const replay::SequenceUse& use) {
    if (!fits(use) || index++ < from) return true;
    more = list.size() == limit;
    if (more) return false;
    json one = shown_use(use);
    add(use, one);
    list.push_back(std::move(one));
    return true;
  });
  const std::uint64_t next = from + list.size();
  json result = {{"sequences", std::move(list)}};
  if (more) result["next"] = next;
  return good(result);
}

ControlResponse Control::unused(const ControlCall& call) {
  const auto fits = [](const replay::SequenceUse& use) { return !use.superseded && use.played == 0; };
  return list_uses(call.query, fits, [](const replay::SequenceUse&, json&) {});
}

ControlResponse Control::sessions(const ControlCall& call) {
  const std::uint64_t from = call.query.number("from", 0, 0, largest_number);
  const std::uint64_t limit = call.query.number("limit", usual_page, 1, largest_page);
  const auto all = subject_.replay->scopes().all();
  json list = json::array();
  for (std::uint64_t i = from; i < all.size() && list.size() < limit; ++i) {
    const replay::Session& session = *all[i].session;
    json one = {{"name", display_name(session)}, {"kind", kind_name(session.kind())}, {"ended", session.ended.load()}};
    if (!session.account().name.empty()) one["account"] = session.account().name;
    if (all[i].scope) one["scope"] = subject_.journal->hidden(*all[i].scope);
    list.push_back(std::move(one));
  }
  json result = {{"total", all.size()}};
  if (from + list.size() < all.size()) result["next"] = from + list.size();
  result["sessions"] = std::move(list);
  return good(result);
}

ControlResponse Control::reset_sessions(const ControlCall& call) {
  return change_sessions(*subject_.replay, call, &replay::Scopes::reset, &replay::Scopes::reset);
}

ControlResponse Control::drop_sessions(const ControlCall& call) {
  return change_sessions(*subject_.replay, call, &replay::Scopes::drop, &replay::Scopes::drop);
}

ControlResponse Control::clock(const ControlCall& call) {
  std::optional<api::ScopeName> scope;
  if (const auto name = call.query.text("scope")) {
    scope = api::ScopeName::parse(*name);
    if (!scope) throw BadInput("scope must be percent-encoded UTF-8 of at most 1,000 bytes, followed by #N for run N");
  }
  const auto now = subject_.scopes.clock_us(scope);
  return good({{"now", now ? json(base::rfc3339(*now)) : json()}});
}

ControlResponse Control::scope(const ControlCall& /*call*/) {
  json runs = json::array();
  for (const std::string& name : subject_.scopes.names()) runs.push_back(subject_.journal->hidden(name));
  return good({{"runs", std::move(runs)}});
}

ControlResponse Control::open_port(const ControlCall& call) {
  const json& object = call.object;
  const api::ScopeName scope = scope_in(object);
  const std::string listen = text_in(object, "listen");
  if (!subject_.scopes.listen) return control_error(404, "no data port is available");
  try {
    const std::string url = subject_.scopes.listen(scope, listen);
    return good({{"name", scope.text()}, {"run", scope.run}, {"url", url}});
  } catch (const std::invalid_argument& error) {
    throw BadInput("listen: " + std::string(error.what()));
  } catch (const std::runtime_error& error) {
    return control_error(503, error.what());
  }
}

ControlResponse Control::next_run(const ControlCall& call) {
  const api::ScopeName scope = scope_in(call.object);
  if (scope.run != 1) throw BadInput("name must be a scope without a run");
  const api::ScopeName next = subject_.scopes.next_run(scope.name);
  return good({{"name", next.text()}, {"run", next.run}});
}

ControlResponse Control::scope_result(const ControlCall& call) {
  const json& object = call.object;
  const api::ScopeName scope = scope_in(object);
  if (!object.contains("ok") || !object["ok"].is_boolean()) throw BadInput("ok must be true or false");
  subject_.scopes.result(scope, object["ok"].get<bool>());
  return good({{"done", true}});
}

}  // namespace tapedeck::inspector
