#include "replay/stages/device_knowledge.h"

#include <algorithm>

#include "api/json_spans.h"
#include "base/text.h"

namespace tapedeck::replay {
namespace {

using api::ErrorCode;
using api::VersionRange;

std::optional<int> number_member(std::string_view object, std::string_view key) {
  auto value = api::json_member(object, key);
  if (!value) return std::nullopt;
  if (value->starts_with('"') && value->size() >= 2) value = value->substr(1, value->size() - 2);
  return base::whole_number<int>(*value);
}

std::optional<RecordedInfo> parse_info(std::string body) {
  RecordedInfo info;
  info.body = std::make_shared<const std::string>(std::move(body));
  const auto data = api::json_member(*info.body, "data");
  const auto members = data ? api::json_members(*data) : std::nullopt;
  if (!members) return std::nullopt;
  for (const api::JsonMember& member : *members) {
    InfoEntry entry{api::ApiName::split(member.key), member.value, std::nullopt};
    const auto min = number_member(member.value, "minVersion");
    const auto max = number_member(member.value, "maxVersion");
    if (min && max) entry.versions = VersionRange{*min, *max};
    info.entries.push_back(std::move(entry));
  }
  return info;
}

bool asks_for_all(const api::RequestKey& key) {
  const auto items = key.items();
  return items.empty() || (items.size() == 1 && items.front().name == "query" &&
                           (items.front().value == "all" || items.front().value.empty()));
}

const InfoEntry* entry_of(const RecordedInfo& info, std::string_view api_rest) {
  const auto found = std::find_if(info.entries.begin(), info.entries.end(),
                                  [api_rest](const InfoEntry& entry) { return entry.name.rest == api_rest; });
  return found == info.entries.end() ? nullptr : &*found;
}

bool is_recorded(ThreadState& thread, std::string_view api_rest) {
  return std::any_of(thread.cassettes.begin(), thread.cassettes.end(), [api_rest](const auto& lookup) {
    return lookup->reader().has_api(api_rest) || lookup->parts().has_api(api_rest);
  });
}

/// How an operation was recorded, with any parameters.
struct Recordings {
  bool any = false;
  bool in_version = false;
};

Recordings recordings_of(ThreadState& thread, const api::Call& call) {
  constexpr std::size_t enough = 200;
  Recordings found;
  for (const auto& lookup : thread.cassettes) {
    const auto see = [&](const api::RequestKey& key) {
      found.any = true;
      found.in_version = found.in_version || key.version == call.version();
    };
    const std::string method = call.folded_method();
    for (const auto& key : lookup->reader().keys_of(call.name().rest, method, enough)) see(key);
    for (const auto& key : lookup->reader().scoped_keys_of(call.name().rest, method, enough)) see(key.key);
    for (const auto& key : lookup->parts().of(call.name().rest, method, {})) see(key);
    for (const auto& key : lookup->parts().in_scopes(call.name().rest, method)) see(key);
  }
  return found;
}

void widen(std::map<std::string, VersionRange>& ranges, const std::string& api_rest, VersionRange range) {
  const auto [place, is_new] = ranges.emplace(api_rest, range);
  if (is_new) return;
  place->second.min = std::min(place->second.min, range.min);
  place->second.max = std::max(place->second.max, range.max);
}

/// Returns the versions of all operations of an API in the catalog.
std::optional<VersionRange> catalog_range(std::string_view api_rest) {
  std::optional<VersionRange> range;
  for (const api::CatalogOperation& operation : api::catalog_api(api_rest)) {
    if (!operation.versions) continue;
    if (!range) range = operation.versions;
    range = VersionRange{std::min(range->min, operation.versions->min), std::max(range->max, operation.versions->max)};
  }
  return range;
}

void compose(const ThreadState& thread, DeviceFacts& facts) {
  for (const api::CatalogOperation& operation : api::catalog()) {
    if (operation.versions) widen(facts.composed, std::string(operation.api), *operation.versions);
  }
  for (const std::string_view built_in : {"API.Auth", "API.Info", "Entry.Request"}) {
    facts.composed.emplace(built_in, VersionRange{1, 1});
  }
  for (const auto& lookup : thread.cassettes) {
    for (const auto& operation : lookup->reader().operations()) {
      const auto version = base::whole_number<int>(operation.version);
      const std::string rest = api::ApiName::split(operation.api).rest;
      if (version && !rest.empty()) widen(facts.composed, rest, {*version, *version});
    }
  }
}

/// Returns true if the request was recorded with a sequence for which `is_so` returns true.
bool was_recorded(RequestContext& context, ThreadState& thread,
                  const std::function<bool(SequenceLookup&, const FoundSequence&)>& is_so) {
  return std::any_of(thread.cassettes.begin(), thread.cassettes.end(), [&](const auto& lookup) {
    const bool has_scope = context.selection && context.selection.cassette == lookup->number();
    // A copy, because reading a response may end the validity of the result.
    const std::vector<FoundSequence> sequences =
        lookup->find(context.key(), {}, has_scope ? context.selection.scope : nullptr).sequences;
    return std::any_of(sequences.begin(), sequences.end(), [&](const auto& one) { return is_so(*lookup, one); });
  });
}

}  // namespace

bool is_open_to_all(const api::Call& call) {
  const std::string_view rest = call.name().rest;
  return call.is_info() || rest == "API.Encryption" || rest == "API.Auth.Type" || rest == "API.Auth.UIConfig";
}

const RecordedInfo* DeviceKnowledge::recorded_info(ThreadState& thread) {
  DeviceFacts& facts = *thread.cassettes.set().facts;
  std::call_once(facts.info_once, [&] { learn_info(thread, facts); });
  return facts.info ? &*facts.info : nullptr;
}

void DeviceKnowledge::learn_info(ThreadState& thread, DeviceFacts& facts) const {
  visit_successes(thread, "API.Info", "query", [&](SequenceLookup& lookup, const auto& key, const auto& sequence) {
    if (!asks_for_all(key)) return false;
    facts.info = parse_info(lookup.playable(sequence, 0)->body_for(*sessions_.anonymous()));
    return facts.info && !facts.info->entries.empty();
  });
  if (facts.info && facts.info->entries.empty()) facts.info.reset();
}

void visit_successes(const ThreadState& thread, std::string_view api_rest, std::string_view method,
                     const VisitSequence& visit) {
  constexpr std::size_t enough = 200;
  for (const auto& lookup : thread.cassettes) {
    const cassettes::CassetteReader& reader = lookup->reader();
    std::vector<cassettes::ScopedKey> keys;
    for (auto& key : reader.keys_of(api_rest, method, enough)) keys.push_back({{}, std::move(key)});
    for (auto& key : reader.scoped_keys_of(api_rest, method, enough)) keys.push_back(std::move(key));
    for (const cassettes::ScopedKey& key : keys) {
      for (const auto& sequence : reader.sequences(key.key.text, key.scope)) {
        if (sequence.succeeded && sequence.count > 0 && visit(*lookup, key.key, sequence)) return;
      }
    }
  }
}

std::string DeviceKnowledge::refusal_body(ErrorCode code, ThreadState& thread) {
  if (code != ErrorCode::session_not_found) return api::error_envelope(code);
  DeviceFacts& facts = *thread.cassettes.set().facts;
  std::call_once(facts.refusal_once, [&] {
    for (auto lookup = thread.cassettes.begin(); !facts.refusal && lookup != thread.cassettes.end(); ++lookup) {
      facts.refusal = (*lookup)->reader().error_body(static_cast<int>(code));
    }
  });
  return facts.refusal.value_or(api::error_envelope(code));
}

bool DeviceKnowledge::needs_no_session(RequestContext& context, ThreadState& thread) {
  return was_recorded(context, thread, [](SequenceLookup& lookup, const FoundSequence& sequence) {
    if (!sequence.info.succeeded) return false;
    return sequence.info.lane == 0 || lookup.playable(sequence, 0)->begins_session();
  });
}

bool DeviceKnowledge::needs_no_hash(RequestContext& context, ThreadState& thread) {
  return was_recorded(context, thread, [](SequenceLookup& lookup, const FoundSequence& sequence) {
    if (!sequence.info.succeeded) return false;
    return !lookup.recorded_request(*lookup.playable(sequence, 0)).headers.contains("X-SYNO-HASH");
  });
}

std::optional<ErrorCode> DeviceKnowledge::certain_error(const api::Call& call, ThreadState& thread) {
  if (!call.complete()) return ErrorCode::missing_api_method_or_version;
  const RecordedInfo* const info = recorded_info(thread);
  if (info == nullptr) return std::nullopt;
  const InfoEntry* const entry = entry_of(*info, call.name().rest);
  if (entry == nullptr) {
    return is_recorded(thread, call.name().rest) ? std::nullopt : std::optional(ErrorCode::no_such_api);
  }
  const auto version = base::whole_number<int>(call.version());
  if (entry->versions && (!version || !entry->versions->contains(*version))) {
    const bool was_answered = recordings_of(thread, call).in_version;
    return was_answered ? std::nullopt : std::optional(ErrorCode::version_not_supported);
  }
  return std::nullopt;
}

ExpectedError DeviceKnowledge::expected_error(const api::Call& call, ThreadState& thread) {
  if (const auto code = certain_error(call, thread)) return {*code, true, {}};
  const std::string& api_rest = call.name().rest;
  const auto operations = api::catalog_api(api_rest);
  const RecordedInfo* const info = recorded_info(thread);
  const bool in_info = info != nullptr && entry_of(*info, api_rest) != nullptr;
  const bool api_is_recorded = is_recorded(thread, api_rest);
  if (operations.empty() && !in_info && !api_is_recorded) {
    return {ErrorCode::no_such_api, false, "no cassette contains this API, and it is not a known API"};
  }
  const Recordings recordings = recordings_of(thread, call);
  const auto range = in_info ? std::nullopt : catalog_range(api_rest);
  const auto version = base::whole_number<int>(call.version());
  if (!recordings.in_version && (!version || (range && !range->contains(*version)))) {
    return {ErrorCode::version_not_supported, false,
            "no cassette contains this version, and it is outside the known range"};
  }
  const bool methods_are_known = !operations.empty() || api_is_recorded;
  if (methods_are_known && !recordings.any && api::catalog_operation(api_rest, call.method()) == nullptr) {
    return {ErrorCode::no_such_method, false, "no cassette contains this method, and it is not a known method"};
  }
  return {ErrorCode::unknown, false, {}};
}

const std::map<std::string, VersionRange>& DeviceKnowledge::composed(ThreadState& thread) {
  DeviceFacts& facts = *thread.cassettes.set().facts;
  std::call_once(facts.composed_once, [&] { compose(thread, facts); });
  return facts.composed;
}

}  // namespace tapedeck::replay
