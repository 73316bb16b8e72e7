#include "replay/stages/remedy.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "api/scope_name.h"
#include "api/write_guard.h"
#include "base/shell_word.h"
#include "http/message/urlencoded.h"
#include "journal/refused_entry.h"
#include "scrubbers/search/credential.h"

namespace tapedeck::replay {
namespace {

using journal::readable_name;
using Words = std::vector<std::string>;

std::string joined(const Words& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + base::shell_word(word);
  return text;
}

/// Returns the name of the request's scope without its run, as options accept it.
std::string scope_option(const RequestContext& context) { return api::ScopeName{context.run().name, 1}.text(); }

/// Returns the stored names of the scopes that contain a call that changes the device.
const std::set<std::string>& writing_scopes(ThreadState& thread) {
  constexpr std::uint64_t most_searched = 20'000;  // interactions, because a request waits meanwhile
  DeviceFacts& facts = *thread.cassettes.set().facts;
  std::call_once(facts.writing_once, [&] {
    for (const auto& lookup : thread.cassettes) {
      if (lookup->reader().info().interactions > most_searched) continue;
      lookup->reader().list([&facts](const cassettes::ListedInteraction& line) {
        if (line.effect == api::Effect::write && !line.scope.empty()) facts.writing_scopes.insert(line.scope);
        return true;
      });
    }
  });
  return facts.writing_scopes;
}

/// Returns true if recording the request needs --allow-writes, itself or for the rest of its scope.
bool writes(const RequestContext& context, ThreadState& thread) {
  const api::Call* const call = context.parsed().call();
  if (call != nullptr && api::WriteGuard::effect(*call) == api::Effect::write) return true;
  return context.selection && writing_scopes(thread).contains(context.selection.scope->name);
}

/// Returns true if more than one interaction contains the value, such as the name of an object that was created and
/// then used.
bool turns_up_again(const std::string& value, ThreadState& thread) {
  if (!scrubbers::looks_like_credential(value)) return false;
  return std::any_of(thread.cassettes.begin(), thread.cassettes.end(), [&value](const auto& lookup) {
    return lookup->reader().count_with({value, http::percent_encode(value)}, 2) > 1;
  });
}

/// Returns the value of the parameter with that name if there is only one and it is plain text in a key.
std::string plain_value(const api::RequestKey& key, std::string_view name) {
  for (const api::RequestKey::Item& item : key.items()) {
    if (item.name == name && !item.has_hole && !item.value.starts_with('[') && !item.value.starts_with('{')) {
      return http::percent_decode(item.value, false);
    }
  }
  return {};
}

void set_options(Words options, MissReport& report) {
  report.hint = "replay with " + joined(options);
  report.remedy = std::move(options);
}

/// Returns the names of the parameters in which the recording differs.
std::set<std::string> differing_names(const Comparison& comparison) {
  std::set<std::string> names;
  for (const ParamVerdict& verdict : comparison.params) {
    if (verdict.likeness != Likeness::same) names.insert(verdict.name);
  }
  return names;
}

std::string difference_of(const Comparison& comparison, const std::set<std::string>& names) {
  const std::string version = comparison.same_version ? "" : "the version";
  if (names.empty()) return version;
  return readable_name(*names.begin()) + (names.size() > 1 ? " and others" : "") +
         (version.empty() ? "" : " and " + version);
}

/// Returns how many characters two names share at their beginnings and ends.
std::size_t shared_characters(std::string_view a, std::string_view b) {
  const auto begin = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  const auto most = static_cast<std::size_t>(std::min(a.end() - begin.first, b.end() - begin.second));
  std::size_t end = 0;
  while (end < most && a[a.size() - 1 - end] == b[b.size() - 1 - end]) ++end;
  return static_cast<std::size_t>(begin.first - a.begin()) + end;
}

/// Returns the stored names of the scopes that a renamed test may have had, most similar first, at most five. Ends
/// before names that are equally similar.
Words former_names(const std::string& name, const Words& scopes, const std::set<std::string>& others) {
  constexpr std::size_t most = 5;
  std::map<std::size_t, Words, std::greater<>> similar;
  for (const std::string& one : scopes) {
    if (one == name || others.contains(one) || api::has_redacted_place(one)) continue;
    const std::size_t shared = shared_characters(name, one);
    if (2 * shared >= std::max(name.size(), one.size())) similar[shared].push_back(one);
  }
  Words former;
  for (const auto& [shared, names] : similar) {
    if (names.size() > 1 || former.size() == most) break;
    former.push_back(names.front());
  }
  return former;
}

/// Returns the path of the cassette that has the scope.
std::string cassette_with_scope(const ReplayOptions& options, ThreadState& thread, const std::string& scope) {
  for (const auto& lookup : thread.cassettes) {
    if (!lookup->reader().scope(scope).empty()) return options.cassettes.at(lookup->number());
  }
  return {};
}

}  // namespace

std::vector<std::string> matching_options(const Comparison& comparison) {
  Words options;
  if (!comparison.names_all()) return options;
  std::string last;
  for (const ParamVerdict& verdict : comparison.params) {
    if (verdict.likeness == Likeness::same || verdict.name == last) continue;
    if (verdict.name == api::RequestKey::range_item) return {};
    options.insert(options.end(), {"--ignore", readable_name(verdict.name)});
    last = verdict.name;
  }
  if (!comparison.same_version) options.emplace_back("--any-version");
  return options;
}

void suggest_recording(const ReplayOptions& options, const RequestContext& context, ThreadState& thread,
                       MissReport& report) {
  const RecordingCommand& how = options.recording_command;
  if (options.cassettes.empty() && options.end == nullptr) {
    report.hint = "record it with `tapedeck record --device URL CASSETTE`, and replay that cassette";
    return;
  }
  report.remedy = {"--mode", "new", "--device", "URL"};
  const bool is_known = context.selection || (options.end != nullptr && !context.scope_is_recorded);
  if (context.scope_run() && is_known) report.remedy.insert(report.remedy.end(), {"--rerecord", scope_option(context)});
  if (writes(context, thread)) report.remedy.emplace_back("--allow-writes");
  report.hint = "record it with `" + how.command + " " + joined(report.remedy) + " " + how.operands + "`";
}

void suggest_options(const ReplayOptions& options, RequestContext& context, ThreadState& thread, MissReport& report) {
  suggest_recording(options, context, thread, report);
  const MissReport::Nearest& nearest = report.nearest.front();
  Words words = matching_options(nearest.comparison);
  if (words.empty()) return;
  const std::set<std::string> names = differing_names(nearest.comparison);
  const api::RequestKey recorded = api::RequestKey::parse(nearest.key);
  if (names.size() == 1 && nearest.comparison.differing == 1 && nearest.comparison.same_version) {
    const bool is_live = !plain_value(context.key(), *names.begin()).empty();
    if (is_live && turns_up_again(plain_value(recorded, *names.begin()), thread))
      return set_options({"--bind", readable_name(*names.begin())}, report);
  }
  bool is_safe = false, is_guess = false;
  for (const auto& lookup : thread.cassettes) {
    const bool has_scope = context.selection && context.selection.cassette == lookup->number();
    const auto alike = lookup->plays_alike(recorded, names, has_scope ? context.selection.scope->name : std::string());
    is_safe = is_safe || alike == SequenceLookup::Alike::yes;
    is_guess = is_guess || alike == SequenceLookup::Alike::no;
  }
  if (is_guess) {
    report.hint = "recordings that differ in " + difference_of(nearest.comparison, names) +
                  " have different responses, so ignoring it would be a guess; " + report.hint;
  } else if (is_safe) {
    set_options(std::move(words), report);
  }
}

void suggest_rename(const Services& services, const RequestContext& context, const std::vector<std::string>& scopes,
                    ThreadState& thread, MissReport& report) {
  const std::vector<std::string> ran = services.scopes.ran();
  for (const std::string& former : former_names(context.run().name, scopes, {ran.begin(), ran.end()})) {
    const std::string cassette = cassette_with_scope(services.options, thread, former);
    if (cassette.empty()) continue;
    report.renames.push_back(
        joined({"tapedeck", "edit", cassette, "--rename", api::shown_scope(former) + "=" + scope_option(context)}));
  }
  if (report.renames.empty()) return;
  report.hint = "if its test was renamed, run `" + report.renames.front() + "`; otherwise " + report.hint;
}

}  // namespace tapedeck::replay
