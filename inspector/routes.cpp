#include "inspector/routes.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/text.h"
#include "inspector/assertion.h"
#include "inspector/input.h"
#include "inspector/shown.h"
#include "replay/overlays/overlay_owner.h"

namespace tapedeck::inspector {
namespace {

using nlohmann::json;

constexpr Route numbered(Route route) {
  route.is_numbered = true;
  return route;
}

constexpr Route recording(Route route) {
  route.record_only = true;
  return route;
}

constexpr auto table = std::to_array<Route>({
    {"GET", "/health", false, &Control::health},
    {"GET", "/state", false, &Control::state},
    {"GET", "/events", false, nullptr, true},
    {"GET", "/journal", false, &Control::journal},
    {"GET", "/counters", false, &Control::counters},
    {"GET", "/unused", true, &Control::unused},
    {"GET", "/unfinished", true, &Control::unfinished},
    {"GET", "/sessions", true, &Control::sessions},
    {"POST", "/sessions/reset", true, &Control::reset_sessions},
    {"POST", "/sessions/drop", true, &Control::drop_sessions},
    {"GET", "/clock", true, &Control::clock},
    {"GET", "/scope", false, &Control::scope},
    {"POST", "/scope", false, &Control::begin_scope},
    {"POST", "/scope/runs", false, &Control::next_run},
    {"POST", "/scope/result", false, &Control::scope_result},
    {"POST", "/assert", false, &Control::assertion},
    numbered({"GET", "/requests/", false, &Control::request}),
    {"GET", "/recordings", true, &Control::recordings},
    {"GET", "/rules", true, &Control::rules},
    {"POST", "/rules", true, &Control::add_rule},
    {"POST", "/rules/delete", true, &Control::delete_rule},
    recording({"POST", "/mark", false, &Control::mark}),
    recording({"POST", "/finish", false, &Control::finish}),
    recording({"GET", "/suspects", false, &Control::suspects}),
    {"GET", "/effects", true, &Control::effects},
    {"GET", "/overlays", true, &Control::overlays},
    {"POST", "/overlays", true, &Control::post_overlays, false, 4u << 20},
    {"POST", "/overlays/check", true, &Control::check_overlays, false, 4u << 20},
    {"POST", "/overlays/enable", true, &Control::enable_overlays},
    {"POST", "/overlays/disable", true, &Control::disable_overlays},
    {"POST", "/overlays/delete", true, &Control::delete_overlays},
});

std::string_view kind_name(replay::Session::Kind kind) {
  return kind == replay::Session::Kind::minted ? "login" : "adopted";
}

/// Reads {"all":true} or {"name":…}. An empty object is an error, so that nothing affects all by accident. Returns
/// nothing for all.
std::optional<std::string> one_or_all(const std::string& body) {
  const json object = read_object(body, {"all", "name"});
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
  if (const auto name = one_or_all(call.body)) {
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
  if (!is_numbered) return path_sent == path;
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

ControlResponse Control::respond(const Route& route, const ControlCall& call) {
  if (route.replay_only && subject_.replay == nullptr) {
    return control_error(404, std::string(route.path) + " is available only in replay and exec");
  }
  if (route.record_only && !subject_.recording.finish) {
    return control_error(404, std::string(route.path) + " is available only in record");
  }
  try {
    if (route.method == "POST") (void)Query(call.query, {});
    return (this->*route.respond)(call);
  } catch (const BadInput& error) {
    return control_error(400, error.what());
  } catch (const std::exception&) {
    return control_error(500, "cannot create the response");
  }
}

ControlResponse Control::health(const ControlCall& call) {
  (void)Query(call.query, {});
  return good({{"status", "ok"}, {"command", subject_.command}, {"url", subject_.url}, {"version", TAPEDECK_VERSION}});
}

ControlResponse Control::journal(const ControlCall& call) {
  const Query query(call.query, {"from", "limit", "outcome", "api", "method", "session", "scope"});
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

ControlResponse Control::state(const ControlCall& call) {
  (void)Query(call.query, {});
  json state = {{"command", subject_.command},          {"url", subject_.url},
                {"version", TAPEDECK_VERSION},          {"counters", counts()},
                {"now_us", subject_.journal->now_us()}, {"oldest", subject_.journal->oldest()},
                {"total", subject_.journal->total()}};
  if (!subject_.cassettes.empty()) state["cassettes"] = subject_.cassettes;
  if (!subject_.device.empty()) state["device"] = subject_.device;
  if (subject_.recording.learned) {
    json learned = json::object();
    for (const auto& [name, count] : subject_.recording.learned()) learned[name] = count;
    state["learned"] = std::move(learned);
  }
  return good(state);
}

ControlResponse Control::counters(const ControlCall& call) {
  (void)Query(call.query, {});
  json calls = json::array();
  for (const journal::JournalTotal& one : subject_.journal->totals()) {
    calls.push_back({{"api", one.api}, {"method", one.method}, {"outcome", one.outcome}, {"count", one.count}});
  }
  return good({{"calls", std::move(calls)},
               {"counters", counts()},
               {"journal_lines_not_written", subject_.journal->not_written()}});
}

ControlResponse Control::list_uses(std::uint64_t from, std::uint64_t limit,
                                   const std::function<bool(const replay::SequenceUse&)>& fits,
                                   const std::function<void(const replay::SequenceUse&, json&)>& add) const {
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

ControlResponse Control::sequences(const ControlCall& call, bool begun) {
  const Query query(call.query, {"from", "limit"});
  const auto fits = [begun](const replay::SequenceUse& use) {
    if (use.superseded) return false;
    return begun ? use.played > 0 && !use.finished : use.played == 0;
  };
  return list_uses(query.number("from", 0, 0, largest_number), query.number("limit", usual_page, 1, largest_page), fits,
                   [](const replay::SequenceUse&, json&) {});
}

ControlResponse Control::unused(const ControlCall& call) { return sequences(call, false); }
ControlResponse Control::unfinished(const ControlCall& call) { return sequences(call, true); }

ControlResponse Control::sessions(const ControlCall& call) {
  const Query query(call.query, {"from", "limit"});
  const std::uint64_t from = query.number("from", 0, 0, largest_number);
  const std::uint64_t limit = query.number("limit", usual_page, 1, largest_page);
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
  const Query query(call.query, {"scope"});
  std::optional<api::ScopeName> scope;
  if (const auto name = query.text("scope")) {
    scope = api::ScopeName::parse(*name);
    if (!scope) throw BadInput("scope must be percent-encoded UTF-8 of at most 1,000 bytes, followed by #N for run N");
  } else if (const auto current = subject_.scopes.current()) {
    scope = api::ScopeName::parse(*current);
  }
  const auto now = subject_.replay->clock_us(scope);
  return good({{"now", now ? json(base::rfc3339(*now)) : json()}});
}

ControlResponse Control::scope(const ControlCall& call) {
  (void)Query(call.query, {});
  const auto current = subject_.scopes.current();
  json runs = json::array();
  for (const std::string& name : subject_.scopes.names()) runs.push_back(subject_.journal->hidden(name));
  return good({{"current", current ? json(subject_.journal->hidden(*current)) : json()}, {"runs", std::move(runs)}});
}

ControlResponse Control::begin_scope(const ControlCall& call) {
  const json object = read_object(call.body, {"name", "listen"});
  if (object.contains("listen")) return own_port(object);
  if (object.contains("name") && object["name"].is_null()) {
    subject_.scopes.end();
  } else {
    const api::ScopeName name = scope_in(object);
    const auto current = subject_.scopes.current();
    subject_.scopes.begin(name);
    const bool starts_anew = current && *current == name.text();
    if (starts_anew && subject_.replay != nullptr) {
      subject_.replay->overlays().counts().forget(replay::overlay_owner_of_run(name.text()));
    }
  }
  return scope({});
}

ControlResponse Control::own_port(const json& object) {
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
  const api::ScopeName asked = scope_in(read_object(call.body, {"name"}));
  if (asked.run != 1) throw BadInput("name must be a scope without a run");
  const api::ScopeName next = subject_.scopes.next_run(asked.name);
  return good({{"name", next.text()}, {"run", next.run}});
}

ControlResponse Control::scope_result(const ControlCall& call) {
  const json object = read_object(call.body, {"name", "ok"});
  const api::ScopeName scope = scope_in(object);
  if (!object.contains("ok") || !object["ok"].is_boolean()) throw BadInput("ok must be true or false");
  subject_.scopes.result(scope, object["ok"].get<bool>());
  return good({{"done", true}});
}

}  // namespace tapedeck::inspector
