// Finds recordings for a request with another key: by redacted or private places, by rules of looser matching, or by
// bound parameters.

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "api/call.h"
#include "api/json_spans.h"
#include "base/text.h"
#include "http/message/urlencoded.h"
#include "replay/recorded/sequence_lookup.h"

namespace tapedeck::replay {
namespace {

using cassettes::SequenceInfo;

/// The ways in which a recording may match a request although the keys differ.
struct Ways {
  bool redacted = false;   ///< it differs only in redacted places
  bool loose = false;      ///< the rules of looser matching allow what differs
  bool by_values = false;  ///< it differs only in values of parameters, which may be private

  [[nodiscard]] bool any() const { return redacted || loose || by_values; }
  /// Removes the ways that this difference excludes. Returns true if a way is left.
  bool remain(Likeness likeness, bool is_ignored) {
    redacted = false;
    loose = loose && is_ignored;
    by_values = by_values && likeness == Likeness::differs;
    return any();
  }
};

/// Returns a tie for each parameter in which a request differs from a recording, or none if one of these parameters is
/// not a scalar, occurs twice, or was redacted.
std::vector<Tie> ties_of(std::uint32_t cassette_id, const api::RequestKey& asked, const api::RequestKey& recorded,
                         const Comparison& comparison) {
  std::vector<Tie> ties;
  const auto value_of = [](const api::RequestKey& key, std::string_view name) -> std::optional<std::string> {
    std::optional<std::string> value;
    for (const auto& item : key.items()) {
      if (item.name != name) continue;
      const bool is_scalar = !item.has_hole && !item.value.starts_with('[') && !item.value.starts_with('{');
      if (value || !is_scalar) return std::nullopt;
      value = http::percent_decode(item.value, false);
    }
    return value;
  };
  for (const ParamVerdict& verdict : comparison.params) {
    if (verdict.likeness == Likeness::same) continue;
    const auto live = value_of(asked, verdict.name), known = value_of(recorded, verdict.name);
    if (!live || !known || live->empty() || known->empty()) return {};
    ties.push_back(tie_of(cassette_id, http::percent_decode(verdict.name, false), *known, *live));
  }
  return ties;
}

bool holds_pseudonym(const scrubbers::InteractionRecord& record, const api::Param& param) {
  using scrubbers::Part;
  const Part part = param.part == api::RequestPart::target ? Part::request_target : Part::request_body;
  return std::any_of(record.redactions.begin(), record.redactions.end(), [&](const scrubbers::Redaction& row) {
    return row.part == part && row.secret_class == scrubbers::SecretClass::private_data &&
           row.offset < param.raw.offset + param.raw.length && param.raw.offset < row.offset + row.length;
  });
}

/// Returns the parameters of a recorded call whose values are pseudonyms (docs/secrets.md, "Private data"). Without the
/// key file their original values are unknown. Reads the first recording of the key. Returns none for a request that is
/// not a call.
std::set<std::string, std::less<>> private_params(const cassettes::CassetteReader& reader, std::string_view key_text,
                                                  std::string_view scope) {
  std::set<std::string, std::less<>> names;
  const auto sequences = reader.sequences(key_text, scope);
  const auto played =
      std::find_if(sequences.begin(), sequences.end(), [](const auto& sequence) { return sequence.count > 0; });
  if (played == sequences.end()) return names;
  const auto full = reader.get(reader.answer(*played, 0).id);
  const auto call = full ? api::Call::from(full->record.request) : std::nullopt;
  if (!call) return names;
  for (const api::Param& param : call->params()) {
    if (holds_pseudonym(full->record, param)) names.insert(param.name);
  }
  return names;
}

}  // namespace

struct SequenceLookup::Candidate {
  api::RequestKey key;
  Comparison comparison;
};

void SequenceLookup::merge(std::vector<FoundSequence>& sequences) const {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool>, std::vector<FoundSequence>> groups;
  for (FoundSequence& one : sequences) {
    groups[{one.info.take, one.info.lane, one.info.account, one.is_part}].push_back(std::move(one));
  }
  sequences.clear();
  for (auto& [name, group] : groups) {
    FoundSequence& first = sequences.emplace_back(group.front());
    if (group.size() == 1) continue;
    auto merged = std::make_shared<FoundSequence::Merged>();
    for (const FoundSequence& one : group) {
      const auto member = static_cast<std::uint32_t>(merged->members.size());
      if (one.merged) {
        merged->members.insert(merged->members.end(), one.merged->members.begin(), one.merged->members.end());
        for (FoundSequence::Merged::Place place : one.merged->places) {
          place.member += member;
          merged->places.push_back(place);
        }
      } else {
        merged->members.push_back(one.info);
        const auto facts = reader_->turns(one.info);
        const auto segments = reader_->segments(one.info, 0, one.info.count);
        for (std::uint32_t i = 0; i < facts.size(); ++i) merged->places.push_back({member, i, segments[i], facts[i]});
      }
      first.info.id = std::min(first.info.id, one.info.id);
      first.info.succeeded = first.info.succeeded || one.info.succeeded;
      first.info.hidden += &one == &group.front() ? 0 : one.info.hidden;
      first.info.is_ambiguous = first.info.is_ambiguous || one.info.is_ambiguous;
    }
    using Place = FoundSequence::Merged::Place;
    std::vector<Place>& places = merged->places;
    std::stable_sort(places.begin(), places.end(),
                     [](const Place& a, const Place& b) { return a.facts.ord < b.facts.ord; });
    first.info.id = -first.info.id;
    first.info.count = static_cast<std::uint32_t>(places.size());
    first.info.first_error = places.front().facts.error_code;
    first.info.many_sessions = std::any_of(places.begin(), places.end(), [&](const Place& place) {
      return place.facts.session != places.front().facts.session;
    });
    first.merged = std::move(merged);
  }
}

std::string SequenceLookup::reduced(const api::RequestKey& key) const {
  const std::string_view text = key.text;
  const std::string_view items = key.item_text();
  if (items.empty()) return std::string(text);
  std::string made(text.substr(0, text.find('?')));
  char mark = '?';
  for (std::string_view rest = items; const auto item = api::RequestKey::next_item(rest);) {
    if (looseness_->ignores(key, http::percent_decode(item->name, false))) continue;
    made.append(1, mark).append(item->name).append("=").append(item->value);
    mark = '&';
  }
  if (key.body().empty()) return made;
  return made.append(key.is_call ? "#" : " #").append(key.body());
}

LookupResult SequenceLookup::find_inexact(const api::RequestKey& key, const LookupRequest& request,
                                          const ScopePtr& scope) {
  constexpr std::size_t most_private = 64;  // each one is read
  std::vector<Candidate> redacted, of_values, loose;
  const bool may_have_form = request.message != nullptr && !key.is_call;
  const std::string form = may_have_form ? policy_.body_items(*request.message) : std::string();
  const Asked asked(key, form);
  const bool has_rules = std::any_of(looseness_->rules.begin(), looseness_->rules.end(),
                                     [&](const MatchRule& rule) { return rule.loosens() && rule.covers(key); });
  std::optional<std::string> unknown;  // of withheld recordings, whose parameters were removed
  for (api::RequestKey& recorded : comparable(key, scope)) {
    const bool may_be_unknown = key.is_call && recorded.version == key.version && recorded.item_text().empty() &&
                                !key.item_text().empty() && !recorded.has_holes;
    if (may_be_unknown && is_hidden(recorded, scope)) unknown = recorded.text;
    Ways ways{recorded.has_holes, has_rules, key.is_call && of_values.size() < most_private};
    if (key.version != recorded.version) ways = {false, looseness_->any_version(key), false};
    if (!ways.any() || (key.is_call && !label_ && key.api.label != recorded.api.label)) continue;
    auto comparison = asked.compare_if(recorded, [&](std::string_view name, Likeness likeness) {
      return likeness == Likeness::same || ways.remain(likeness, looseness_->ignores(key, name));
    });
    if (!comparison || !comparison->same_rest || !comparison->same_prefix) continue;
    comparison->same_label = true;
    if (ways.redacted && comparison->uses_redaction()) {
      redacted.push_back({std::move(recorded), std::move(*comparison)});
    } else if (ways.loose) {
      loose.push_back({std::move(recorded), std::move(*comparison)});
    } else if (ways.by_values && comparison->differing > 0) {
      of_values.push_back({std::move(recorded), std::move(*comparison)});
    }
  }
  std::erase_if(redacted, [&](const Candidate& one) { return !is_recorded(one.key, scope); });
  LookupResult found;
  if (redacted.size() > 1 || (redacted.size() == 1 && unknown)) {
    found.how = LookupResult::How::ambiguous;
    for (const Candidate& candidate : redacted) found.candidates.push_back(candidate.key.text);
    if (unknown) found.candidates.push_back(*unknown);
    return found;
  }
  if (redacted.empty() && loose.empty()) choose_private(of_values, scope, key, found);
  if (redacted.empty() && !loose.empty()) choose_loose(std::move(loose), key, scope, found);
  if (redacted.empty()) return found;
  const Candidate& chosen = redacted.front();
  found.how = LookupResult::How::redacted;
  found.match = match_note(chosen.key, chosen.comparison);
  fill(found, key, chosen.key, chosen.key.text, scope);
  return found;
}

void SequenceLookup::choose_loose(std::vector<Candidate> candidates, const api::RequestKey& asked,
                                  const ScopePtr& scope, LookupResult& found) {
  std::erase_if(candidates, [&](const Candidate& one) { return !is_recorded(one.key, scope); });
  if (candidates.empty()) return;
  const auto version = [](const api::RequestKey& key) {
    return base::whole_number<std::int64_t>(key.version).value_or(0);
  };
  const auto distance = [&](const Candidate& one) {
    const std::int64_t apart = version(one.key) - version(asked);
    return std::tuple(one.comparison.same_version ? 0 : 1, apart < 0 ? -apart : apart, -version(one.key),
                      one.comparison.uses_redaction(), one.comparison.differences());
  };
  const Candidate nearest = *std::min_element(candidates.begin(), candidates.end(),
                                              [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  std::erase_if(candidates, [&](const Candidate& one) { return one.key.version != nearest.key.version; });
  const std::string name = reduced(nearest.key);
  const Candidate* most = &nearest;  // the candidate that differs in most ignored parameters, for the note
  found.how = LookupResult::How::loosely;
  for (const Candidate& one : candidates) {
    if (reduced(one.key) != name) {
      if (!nearest.comparison.uses_redaction() && one.comparison.uses_redaction()) continue;
      found.how = LookupResult::How::ambiguous;
      found.candidates.push_back(one.key.text);
      continue;
    }
    if (one.comparison.differences() > most->comparison.differences()) most = &one;
    add_recorded(found, asked, one.key, one.key.text, scope);
  }
  if (found.is_unidentified) found.how = LookupResult::How::ambiguous;
  found.match = match_note(most->key, most->comparison);
  if (found.how == LookupResult::How::ambiguous) {
    found.candidates.push_back(nearest.key.text);
    found.sequences.clear();
    return;
  }
  merge(found.sequences);
  sort_and_choose_take(found, scope);
}

void SequenceLookup::look_for_merged(const api::RequestKey& key, const std::string& text, const ScopePtr& scope,
                                     LookupResult& found) {
  const bool ignores = std::any_of(looseness_->rules.begin(), looseness_->rules.end(),
                                   [&](const MatchRule& rule) { return !rule.ignore.empty() && rule.covers(key); });
  if (!ignores) return;
  api::RequestKey own = api::RequestKey::parse(text);
  const std::string name = reduced(own);
  LookupResult merged;
  std::size_t keys = 0;
  for (const api::RequestKey& recorded : comparable(key, scope)) {
    if (reduced(recorded) != name) continue;
    ++keys;
    add_recorded(merged, own, recorded, recorded.text, scope);
  }
  if (keys < 2) return;
  merge(merged.sequences);
  sort_and_choose_take(merged, scope);
  found.around = std::move(merged.sequences);
}

SequenceLookup::Alike SequenceLookup::plays_alike(const api::RequestKey& recorded, const std::set<std::string>& params,
                                                  const std::string& scope) const {
  constexpr std::size_t most = 500;
  const auto without = [&params](const api::RequestKey& key) {
    std::string text = key.version + " " + key.prefix;
    for (const auto& item : key.items()) {
      if (!params.contains(std::string(item.name))) text.append("&").append(item.name).append("=").append(item.value);
    }
    return text.append("#").append(key.body());
  };
  const std::string name = without(recorded);
  std::set<std::pair<int, std::string>> responses;
  std::size_t looked = 0;
  for (const std::string& place : scope.empty() ? std::vector{scope} : std::vector{scope, std::string()}) {
    const auto keys = reader_->keys_of(recorded.api.rest, recorded.method, most, recorded.is_call, place);
    if (keys.size() == most) return Alike::unknown;
    for (const api::RequestKey& key : keys) {
      if (without(key) != name) continue;
      for (const SequenceInfo& sequence : reader_->sequences(key.text, place)) {
        for (std::uint32_t i = 0; i < sequence.count; ++i) {
          if (++looked > most) return Alike::unknown;
          const cassettes::PlayedAnswer answer = reader_->answer(sequence, i);
          responses.insert({answer.status, answer.body});
          if (responses.size() > 1) return Alike::no;
        }
      }
    }
  }
  return responses.empty() ? Alike::unknown : Alike::yes;
}

bool SequenceLookup::binds() {
  follow_rules();
  return looseness_->binds_any();
}

std::vector<SequenceLookup::Bindable> SequenceLookup::bindable(const api::RequestKey& key, const ScopePtr& scope,
                                                               const LookupRequest& request) {
  follow_rules();
  filter_ = request.accounts;
  headers_ = request.headers;
  std::vector<Bindable> found;
  const std::string scope_name = scope ? scope->name : std::string();
  const Asked asked(key);
  const auto may = [&](std::string_view name, Likeness likeness) {
    return likeness == Likeness::same || (likeness == Likeness::differs && looseness_->binds(key, name));
  };
  for (api::RequestKey& recorded : comparable(key, scope)) {
    if (key.version != recorded.version || (!label_ && key.api.label != recorded.api.label)) continue;
    const auto comparison = asked.compare_if(recorded, may);
    if (!comparison || !comparison->same_rest || !comparison->same_prefix || !comparison->names_all()) continue;
    std::vector<Tie> ties = ties_of(options_.cassette_id, key, recorded, *comparison);
    if (ties.empty()) continue;
    LookupResult one;
    add_recorded(one, key, recorded, recorded.text, scope);
    for (const FoundSequence& sequence : one.sequences) {
      const std::uint32_t ord = turns(sequence).at(0).ord;
      const bool begins = std::all_of(ties.begin(), ties.end(), [&](const Tie& tie) {
        return first_with(tie.recorded, sequence.info, scope_name) == ord;
      });
      if (begins) found.push_back({recorded, ties, sequence.info.take, sequence.info.lane, sequence.info.account, ord});
    }
  }
  const auto order = [](const Bindable& one) { return std::tuple(-std::int64_t{one.take}, one.lane, one.ord); };
  std::sort(found.begin(), found.end(), [&](const Bindable& a, const Bindable& b) { return order(a) < order(b); });
  return found;
}

std::uint32_t SequenceLookup::first_with(const std::string& value, const SequenceInfo& sequence,
                                         const std::string& scope) {
  constexpr std::size_t most_known = 10'000;
  if (first_with_.size() > most_known) first_with_.clear();
  const auto [known, is_new] = first_with_.try_emplace({sequence.take, sequence.lane, scope, value}, 0);
  if (!is_new) return known->second;
  std::vector<std::string> texts = {value};
  const std::string json = api::json_quoted(value);
  for (std::string other : {http::percent_encode(value), json.substr(1, json.size() - 2)}) {
    if (other != value) texts.push_back(std::move(other));
  }
  return known->second = reader_->first_with(texts, sequence.take, sequence.lane, scope);
}

void SequenceLookup::choose_private(const std::vector<Candidate>& candidates, const ScopePtr& scope,
                                    const api::RequestKey& asked, LookupResult& found) {
  const Candidate* chosen = nullptr;
  std::set<std::string> params;
  for (const Candidate& candidate : candidates) {
    const auto known = private_params(*reader_, candidate.key.text, scope ? scope->name : std::string());
    const auto is_private = [&](const ParamVerdict& verdict) {
      return verdict.likeness == Likeness::same || known.contains(verdict.name);
    };
    const auto& verdicts = candidate.comparison.params;
    if (!candidate.comparison.names_all() || !std::all_of(verdicts.begin(), verdicts.end(), is_private)) continue;
    for (const ParamVerdict& verdict : verdicts) {
      if (verdict.likeness == Likeness::differs) params.insert(verdict.name);
    }
    found.candidates.push_back(candidate.key.text);
    chosen = &candidate;
  }
  if (chosen == nullptr) return;
  found.private_params = {params.begin(), params.end()};
  if (found.candidates.size() > 1) {
    found.how = LookupResult::How::ambiguous;
    return;
  }
  found.how = LookupResult::How::redacted;
  for (const std::string& name : found.private_params)
    found.match += (found.match.empty() ? "" : ", ") + ("private=" + name);
  fill(found, asked, chosen->key, chosen->key.text, scope);
}

bool SequenceLookup::is_hidden(const api::RequestKey& key, const ScopePtr& scope) const {
  const auto sequences = reader_->sequences(key.text, scope ? std::string_view(scope->name) : std::string_view());
  return std::any_of(sequences.begin(), sequences.end(), [](const SequenceInfo& one) { return one.hidden > 0; }) &&
         std::all_of(sequences.begin(), sequences.end(), [](const SequenceInfo& one) { return one.count == 0; });
}

}  // namespace tapedeck::replay
