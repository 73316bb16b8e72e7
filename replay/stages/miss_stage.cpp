#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "api/catalog.h"
#include "api/key_text.h"
#include "api/scope_name.h"
#include "api/write_guard.h"
#include "base/shell_word.h"
#include "base/suggestion.h"
#include "http/message/browser_request.h"
#include "journal/refused_entry.h"
#include "replay/chain/thread_state.h"
#include "replay/effects/effect.h"
#include "replay/effects/suggestions.h"
#include "replay/stages/remedy.h"
#include "scrubbers/search/credential.h"

namespace tapedeck::replay {
namespace {

using api::ErrorCode;
using journal::readable_name;
using nlohmann::json;

json nearest_json(const MissReport::Nearest& nearest) {
  json parameters = json::array();
  for (const ParamVerdict& verdict : nearest.comparison.params) {
    parameters.push_back({{"name", verdict.name}, {"verdict", to_string(verdict.likeness)}});
  }
  json result = json::object();
  if (nearest.comparison.left_out > 0) result["more"] = nearest.comparison.left_out;
  result["parameters"] = std::move(parameters);
  if (!nearest.comparison.same_prefix) result["prefix"] = "differs";
  result["recording"] = nearest.key;
  result["version"] = nearest.comparison.same_version ? "same" : "differs";
  return result;
}

/// Returns the path of a request that is not a call. Names of folders that could be secrets become "…", as in links
/// that share a file.
std::string readable_path(const api::RequestKey& key) {
  constexpr std::size_t longest = 200;
  std::string_view rest = std::string_view(key.text).substr(std::min(key.text.find('/'), key.text.size()));
  rest = rest.substr(0, rest.find_first_of("?# "));
  std::string path;
  while (!rest.empty() && path.size() < longest) {
    rest.remove_prefix(1);  // the slash
    const std::string_view name = rest.substr(0, rest.find('/'));
    rest.remove_prefix(name.size());
    const bool is_file = rest.empty() && name.find('.') != std::string_view::npos;
    path.append("/").append(is_file || !scrubbers::looks_like_credential(name) ? readable_name(name) : "…");
  }
  return path.empty() ? "/" : path;
}

/// Sets the key and the parameters that the report shows.
void describe_request(const RequestContext& context, const api::RequestKey& key, MissReport& report) {
  if (!key.is_call) {
    const std::string verb = readable_name(context.parsed().request().method);
    report.key = verb + (context.parsed().call() == nullptr ? " " + readable_path(key) : " that names no api");
    return;
  }
  const api::Call& call = *context.parsed().call();
  report.key =
      readable_name(call.api()) + "/" + readable_name(call.version()) + "/" + readable_name(call.folded_method());
  if (!call.prefix().empty()) report.key += "@" + readable_name(call.prefix());
  constexpr std::size_t longest = 500;
  std::string names;
  for (std::string_view rest = key.item_text(); const auto item = api::RequestKey::next_item(rest);) {
    if (names.ends_with(readable_name(item->name))) continue;
    names.append(names.empty() ? "" : ", ").append(readable_name(item->name));
    if (names.size() < longest) continue;
    names += ", …";
    break;
  }
  if (!names.empty()) report.params = " (" + names + ")";
}

/// Returns the keys that a miss can be compared with: of the request's scope and of recordings without a scope, or of
/// all scopes if there are none. Whole calls come before parts of compounds.
std::vector<api::RequestKey> comparable_keys(const RequestContext& context, SequenceLookup& lookup,
                                             const api::RequestKey& key) {
  constexpr std::size_t enough = 200;
  const cassettes::CassetteReader& reader = lookup.reader();
  std::vector<api::RequestKey> keys;
  const auto add = [&](std::vector<api::RequestKey> more) {
    for (api::RequestKey& one : more) {
      const bool is_new = std::none_of(keys.begin(), keys.end(), [&](const auto& k) { return k.text == one.text; });
      if (is_new && keys.size() < 2 * enough) keys.push_back(std::move(one));
    }
  };
  const auto add_of = [&](const std::string& scope) {
    add(reader.keys_of(key.api.rest, key.method, enough, key.is_call, scope));
    if (key.is_call) add(lookup.parts().of(key.api.rest, key.method, scope));
  };
  if (context.selection && context.selection.cassette == lookup.number()) add_of(context.selection.scope->name);
  add_of({});
  if (!keys.empty()) return keys;
  std::vector<api::RequestKey> of_scopes;
  for (auto& scoped : reader.scoped_keys_of(key.api.rest, key.method, enough, key.is_call)) {
    of_scopes.push_back(std::move(scoped.key));
  }
  add(std::move(of_scopes));
  if (key.is_call) add(lookup.parts().in_scopes(key.api.rest, key.method));
  return keys;
}

/// Returns the stored names of other scopes that have this call, which the request must not replay.
std::set<std::string> other_scopes_with(const RequestContext& context, const api::RequestKey& key,
                                        ThreadState& thread) {
  constexpr std::size_t most = 1'000;
  std::set<std::string> names;
  for (const auto& lookup : thread.cassettes) {
    for (std::string& name : lookup->reader().scopes_with(lookup->text_of(key), most)) names.insert(std::move(name));
  }
  if (context.selection) names.erase(context.selection.scope->name);
  return names;
}

/// Fills in reason and hint for a call that only other scopes have.
void explain_scopes(const Services& services, const RequestContext& context, ThreadState& thread,
                    const std::set<std::string>& scopes, MissReport& report) {
  if (context.scope_run()) {
    report.reason = context.selection ? "this scope does not contain the call, but another scope does"
                                      : "no cassette contains this scope, but another scope contains the call";
    suggest_recording(services.options, context, thread, report);
    if (!context.selection) suggest_rename(services, context, {scopes.begin(), scopes.end()}, thread, report);
    return;
  }
  constexpr std::size_t most = 3;
  std::string names;
  std::size_t left = most;
  for (const std::string& name : scopes) {
    if (left-- == 0) {
      names += ", …";
      break;
    }
    names.append(names.empty() ? "" : ", ").append(readable_name(api::shown_scope(name)));
  }
  report.reason = "recorded only in scopes: " + names;
  report.hint = "name a scope in the request (header X-Tapedeck-Scope)";
  if (scopes.size() > 1) return;
  report.remedy = {"--scope", api::shown_scope(*scopes.begin())};
  report.hint = "replay with --scope " + base::shell_word(report.remedy.back());
}

/// Returns true if the recording may be this request, but has a redacted file or body, which cannot be compared.
bool is_redacted_upload(const api::RequestKey& asked, const api::RequestKey& recorded, const Comparison& comparison) {
  if (!recorded.has_redacted_content() || !comparison.same_prefix || !comparison.same_version) return false;
  const auto has_mark = [](std::string_view text) {
    return text.find(api::redacted_content) != std::string_view::npos;
  };
  const auto head = [](const api::RequestKey& key) {
    return std::string_view(key.text).substr(0, key.text.size() - key.body().size());
  };
  const bool same_path = asked.is_call || head(asked) == head(recorded);
  if (!comparison.same_rest && !(same_path && !asked.body().empty() && has_mark(recorded.body()))) return false;
  const std::vector<api::RequestKey::Item> items = recorded.items();
  const auto fits = [&](const ParamVerdict& verdict) {
    return verdict.likeness == Likeness::same ||
           (verdict.likeness == Likeness::differs && std::any_of(items.begin(), items.end(), [&](const auto& item) {
              return item.name == verdict.name && has_mark(item.value);
            }));
  };
  return comparison.names_all() && std::all_of(comparison.params.begin(), comparison.params.end(), fits);
}

/// Returns the recorded method of this API that is spelled most like the key's, if no cassette has that one.
std::string similar_method(const api::RequestKey& key, ThreadState& thread) {
  std::vector<std::string> methods;
  for (const auto& lookup : thread.cassettes) {
    for (const auto& operation : lookup->reader().operations()) {
      if (api::ApiName::split(operation.api).rest == key.api.rest) methods.push_back(operation.method);
    }
  }
  std::sort(methods.begin(), methods.end());
  methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
  return std::binary_search(methods.begin(), methods.end(), key.method) ? std::string()
                                                                        : base::nearest(key.method, methods);
}

/// Returns the nearest recordings. Keeps no more than three at a time.
std::vector<MissReport::Nearest> nearest_of(const RequestContext& context, const api::RequestKey& key,
                                            ThreadState& thread) {
  constexpr std::size_t most = 3;
  std::vector<MissReport::Nearest> nearest;
  const Asked asked(key);
  api::RequestKey meant = key;
  if (const std::string method = key.is_call ? similar_method(key, thread) : ""; !method.empty()) meant.method = method;
  for (const auto& lookup : thread.cassettes) {
    for (const api::RequestKey& recorded : comparable_keys(context, *lookup, meant)) {
      Comparison comparison = asked.compare(recorded);
      comparison.same_label = comparison.same_label || lookup->label().has_value();
      if (!key.is_call && !comparison.same_rest && !is_redacted_upload(key, recorded, comparison)) continue;
      const auto place = std::upper_bound(
          nearest.begin(), nearest.end(), comparison.differences(),
          [](std::size_t differences, const auto& one) { return differences < one.comparison.differences(); });
      if (place == nearest.end() && nearest.size() == most) continue;
      nearest.insert(place, {recorded.text, std::move(comparison)});
      if (nearest.size() > most) nearest.pop_back();
    }
  }
  return nearest;
}

void explain_ambiguous(const Ambiguous& why, MissReport& report) {
  report.remedy.clear();
  const std::string count = std::to_string(why.recordings.size());
  if (why.by == Ambiguous::By::private_values) {
    std::string names;
    for (const std::string& name : why.params) names += (names.empty() ? "" : ", ") + readable_name(name);
    report.reason = count + " recordings differ only in private values: " + names;
    report.hint = "replay with --private-key FILE, or request the recorded pseudonym";
  } else if (why.by == Ambiguous::By::secrets) {
    report.reason = "recordings of this request differ only in secrets that no response contains";
    report.hint = "record each of them in a scope of its own; `tapedeck ls --conflicts CASSETTE` lists such requests";
    report.recordings = why.recordings;
  } else {
    report.reason = why.recordings.size() == 1
                        ? "recordings differ only in a secret that no replayed response has given to this client"
                        : count + " recordings differ only in redacted parameters";
    report.hint = "replay a cassette that contains only one of them, or record each of them in a scope of its own";
  }
}

/// Fills in reason and hint if the request is recorded, which is more precise than a comparison. Returns false if it is
/// not.
bool explain_not_played(const ReplayOptions& options, const RequestContext& context, ThreadState& thread,
                        MissReport& report) {
  const NotPlayed& why = context.not_played;
  suggest_recording(options, context, thread, report);
  if (const auto* const ambiguous = std::get_if<Ambiguous>(&why)) {
    explain_ambiguous(*ambiguous, report);
  } else if (const auto* const tied = std::get_if<AllTied>(&why)) {
    report.reason = "every recorded value of " + readable_name(tied->param) + " is bound to another value already";
  } else if (std::holds_alternative<Ended>(why)) {
    report.reason = "the recorded sequence is over";
    report.remedy = {"--at-end", "stick"};
    report.hint = "replay with --at-end stick to repeat its last response";
  } else if (const auto* const hidden = std::get_if<Hidden>(&why)) {
    report.reason = std::to_string(hidden->count) + " recordings of it exist, but all are broken or withheld";
  } else if (const std::string& headers = std::get<Nothing>(why).other_headers; !headers.empty()) {
    report.reason = "recorded only with another value of the header " + headers;
    return true;
  } else if (std::get<Nothing>(why).has_other_account) {
    report.reason = "only other accounts have recorded it";
    return true;
  }
  return is_recorded(why);
}

/// Fills in reason and hint if the request differs from the recording only in its range, or in an upload that was
/// redacted. Returns false otherwise.
bool explain_content(const api::RequestKey& asked, const MissReport::Nearest& nearest, MissReport& report) {
  const Comparison& comparison = nearest.comparison;
  if (is_redacted_upload(asked, api::RequestKey::parse(nearest.key), comparison)) {
    report.reason = "the recorded upload contains a redacted secret, so it cannot be compared with this one";
    report.remedy.clear();
    report.hint = "respond to this request with an overlay";
    return true;
  }
  const bool differs_elsewhere = !comparison.same_rest || !comparison.same_prefix || !comparison.same_version;
  if (differs_elsewhere || comparison.differing == 0 || !comparison.names_all()) return false;
  const auto is_of_range = [](const ParamVerdict& verdict) {
    return verdict.likeness == Likeness::same || verdict.name == api::RequestKey::range_item;
  };
  if (!std::all_of(comparison.params.begin(), comparison.params.end(), is_of_range)) return false;
  report.reason = "only other ranges of this body are recorded";
  return true;
}

/// Returns how the request differs from the nearest recording: "`additional` differs, `limit` is missing".
std::string difference_text(const Comparison& comparison) {
  constexpr std::size_t most = 3;
  std::vector<std::string> parts;
  if (!comparison.same_version) parts.emplace_back("the version differs");
  for (const ParamVerdict& verdict : comparison.params) {
    if (verdict.likeness == Likeness::same) continue;
    const std::string_view how = verdict.likeness == Likeness::differs   ? " differs"
                                 : verdict.likeness == Likeness::missing ? " is missing"
                                                                         : " is not recorded";
    parts.push_back("`" + readable_name(verdict.name) + "`" + std::string(how));
  }
  std::string text;
  for (std::size_t i = 0; i < std::min(parts.size(), most); ++i) text.append(i == 0 ? "" : ", ").append(parts[i]);
  if (text.empty()) return "recorded only with other parameters";
  return parts.size() > most ? text + ", and more" : text;
}

/// Returns true if the request's method is unknown, and a recorded one has a similar name.
bool is_mistyped(const ExpectedError& expected, const MissReport& report) {
  return !expected.why.empty() && expected.code == ErrorCode::no_such_method && !report.nearest.empty();
}

void explain(RequestContext& context, const ExpectedError& expected, const ReplayOptions& options, ThreadState& thread,
             MissReport& report) {
  if (explain_not_played(options, context, thread, report)) return;
  if (!expected.why.empty()) {
    report.reason = expected.why;
    if (is_mistyped(expected, report)) {
      report.remedy.clear();
      report.hint =
          "did you mean the method `" + readable_name(api::RequestKey::parse(report.nearest.front().key).method) + "`?";
    }
  } else if (options.cassettes.empty()) {
    report.reason = options.simulated_device.empty()
                        ? "no cassette is replayed, and there is no built-in response to this request"
                        : "the simulated device has no response to this request";
  } else if (report.nearest.empty()) {
    report.reason = "no similar request is recorded";
  } else {
    const Comparison& comparison = report.nearest.front().comparison;
    if (explain_content(context.key(), report.nearest.front(), report)) return;
    report.reason = !comparison.same_prefix ? "recorded only under another prefix of the path"
                    : !comparison.same_rest ? "recorded only with another body"
                                            : difference_text(comparison);
    if (comparison.same_rest && comparison.same_prefix) suggest_options(options, context, thread, report);
  }
  // If only the recording has the version, options can replay it.
  if (!report.nearest.empty() && expected.code == ErrorCode::version_not_supported) {
    const Comparison& comparison = report.nearest.front().comparison;
    if (comparison.same_rest && comparison.same_prefix) suggest_options(options, context, thread, report);
  }
}

/// Returns true if a cassette has a call of that method, in a scope or without one.
bool has_recording(ThreadState& thread, std::string_view api_rest, std::string_view method) {
  return std::any_of(thread.cassettes.begin(), thread.cassettes.end(), [&](const auto& lookup) {
    const cassettes::CassetteReader& reader = lookup->reader();
    return !reader.keys_of(api_rest, method, 1).empty() || !reader.scoped_keys_of(api_rest, method, 1).empty();
  });
}

/// Responds to OPTIONS *, which concerns the server as a whole (RFC 9110 §9.3.7) and needs no recording.
Reply server_options() {
  Reply reply;
  reply.response.status = 204;
  reply.response.reason = http::reason_phrase(204);
  reply.response.headers = {{"Allow", "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS"},
                            {"X-Tapedeck-Outcome", std::string(to_string(Outcome::builtin))}};
  return reply;
}

/// Responds to a request that no page made and that is therefore no miss.
Reply no_such_file() {
  Reply reply;
  reply.response.status = 404;
  reply.response.reason = http::reason_phrase(404);
  reply.response.headers = {{"X-Tapedeck-Outcome", std::string(to_string(Outcome::builtin))}};
  return reply;
}

/// Returns the effect that the cassettes show for such writes, or an empty text.
std::string recorded_effect(ThreadState& thread, const std::string& on) {
  constexpr std::uint64_t most_searched = 20'000;  // interactions, because a request waits meanwhile
  DeviceFacts& facts = *thread.cassettes.set().facts;
  std::call_once(facts.effects_once, [&] {
    for (const auto& lookup : thread.cassettes) {
      const cassettes::CassetteReader& reader = lookup->reader();
      if (reader.info().interactions > most_searched) continue;
      for (auto& [writes, block] : suggested_effects(reader)) facts.effects.emplace(writes, std::move(block));
    }
  });
  const auto found = facts.effects.find(on);
  return found == facts.effects.end() ? std::string() : found->second;
}

/// Adds the effect that would respond to the write.
void suggest_effect(const RequestContext& context, ThreadState& thread, MissReport& report) {
  const api::Call* const call = context.parsed().call();
  if (call == nullptr || !call->complete() || call->is_compound() || is_recorded(context.not_played)) return;
  if (api::WriteGuard::effect(*call) != api::Effect::write) return;
  const std::string& api_rest = call->name().rest;
  const auto on = CallPattern::parse(api_rest + "/*/" + call->folded_method());
  if (!on) return;
  const auto& builtin = builtin_effects();
  const bool is_builtin =
      std::any_of(builtin.begin(), builtin.end(), [&](const EffectPtr& effect) { return effect->on.fits(*call); });
  if (has_recording(thread, api_rest, on->method())) report.effect = recorded_effect(thread, on->text());
  if (report.effect.empty() && is_builtin) report.effect = builtin_effect_toml(api_rest);
  // A test is recorded with its writes.
  if (context.scope_run()) return;
  if (is_builtin) {
    report.remedy = {"--effects"};
    report.hint = "replay with --effects (`tapedeck overlay --effects` lists them)";
    return;
  }
  const std::string effect =
      report.effect.empty()
          ? "nothing is known of what this write changes; declare an effect (on = \"" + on->text() + "\")"
          : "declare the effect that the recordings show";
  report.hint = report.hint.empty() ? effect : effect + ", or " + report.hint;
}

MissReport report_of(const Services& services, RequestContext& context, ThreadState& thread,
                     const ExpectedError& expected) {
  const api::RequestKey& key = context.key();
  MissReport report;
  report.code = expected.code;
  describe_request(context, key, report);
  report.nearest = nearest_of(context, key, thread);
  report.is_ambiguous = std::holds_alternative<Ambiguous>(context.not_played);
  explain(context, expected, services.options, thread, report);
  if (!is_recorded(context.not_played)) {
    const std::set<std::string> scopes = other_scopes_with(context, key, thread);
    if (!scopes.empty()) explain_scopes(services, context, thread, scopes, report);
  }
  if (!is_mistyped(expected, report)) suggest_effect(context, thread, report);
  return report;
}

}  // namespace

std::optional<Reply> answer_miss(const Services& services, RequestContext& context, ThreadState& thread) {
  if (context.parsed().request().target == "*") return server_options();
  if (http::is_browsers_own(context.parsed().request())) return no_such_file();
  const api::Call* const call = context.parsed().call();
  const ExpectedError expected = call != nullptr ? services.knowledge.expected_error(*call, thread) : ExpectedError{};
  if (expected.certain) return Reply::error(Outcome::builtin, expected.code);
  const MissReport report = report_of(services, context, thread, expected);
  Reply reply = missed(services, context, report, call != nullptr ? services.options.miss_status : 404);
  if (report.is_ambiguous) reply.response.headers.add("X-Tapedeck-Match", "ambiguous");
  return reply;
}

std::string MissReport::errors_json() const {
  json list = json::array();
  for (const Nearest& one : nearest) list.push_back(nearest_json(one));
  json report = json::object();
  report["asked"] = key + params;
  report["hint"] = hint;
  if (!effect.empty()) report["effect"] = effect;
  report["nearest"] = std::move(list);
  report["reason"] = reason;
  if (!remedy.empty()) report["remedy"] = remedy;
  if (!renames.empty()) report["renames"] = renames;
  if (!recordings.empty()) report["recordings"] = recordings;
  json errors = json::object();
  errors["tapedeck"] = std::move(report);
  return errors.dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string MissReport::line() const {
  std::string text = "miss: " + key + params + ": " + reason;
  if (!nearest.empty()) text += "; nearest: " + nearest.front().key;
  return text;
}

Reply missed(const Services& services, const RequestContext& context, const MissReport& report, int status) {
  services.seen_miss(context, report);
  Reply reply = Reply::json(Outcome::miss, api::error_envelope(report.code, report.errors_json()), status);
  reply.response.headers.add("X-Tapedeck-Miss", report.reason);
  return reply;
}

}  // namespace tapedeck::replay
