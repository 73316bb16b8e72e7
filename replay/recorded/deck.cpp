#include "replay/recorded/deck.h"

#include <algorithm>
#include <set>

#include "cassettes/file/aside_key.h"
#include "http/message/urlencoded.h"
#include "replay/recorded/private_params.h"

namespace tapedeck::replay {
namespace {

using cassettes::SequenceInfo;

/// Semantics §2: the newest take in which the key succeeded, or else the newest that has it.
std::uint32_t take_of(const std::vector<DeckSequence>& newest_first) {
  const auto success = std::find_if(newest_first.begin(), newest_first.end(),
                                    [](const DeckSequence& sequence) { return sequence.info.succeeded; });
  return success != newest_first.end() ? success->info.take : newest_first.front().info.take;
}

/// One recorded session's end (semantics §2).
bool ends_session(std::optional<int> code) { return code == 106 || code == 107 || code == 119; }

/// A text that no key's is.
std::string scoped(std::string_view scope, std::string_view text) {
  return std::string(1, '\0').append(scope).append(1, '\0').append(text);
}

std::size_t bytes_of(const std::string& text, const Found& found) {
  return sizeof(Found) + 3 * text.size() + found.sequences.size() * sizeof(DeckSequence) + 128;
}

/// Ways in which a recording may still answer a request that has no recording of its own.
struct Ways {
  bool redacted = false;   ///< it differs only in redacted places
  bool loose = false;      ///< the rules of looser matching allow what differs
  bool by_values = false;  ///< it differs only in values of parameters, which may be private

  [[nodiscard]] bool any() const { return redacted || loose || by_values; }
  /// A parameter is not the same; whether a way is left.
  bool remain(Likeness likeness, bool is_ignored) {
    redacted = false;
    loose = loose && is_ignored;
    by_values = by_values && likeness == Likeness::differs;
    return any();
  }
};

bool has_param(std::string_view text, std::string_view name) {
  const std::vector<http::Pair> pairs = http::parse_urlencoded(text);
  return std::any_of(pairs.begin(), pairs.end(), [name](const http::Pair& pair) { return pair.name == name; });
}

}  // namespace

struct Deck::Candidate {
  api::RequestKey key;
  Comparison comparison;
};

Deck::Deck(cassettes::CassetteReader reader, DeckOptions options)
    : reader_(std::move(reader)),
      options_(std::move(options)),
      policy_(reader_.info().key_policy),
      scopes_(options_.cache_bytes / 16),
      found_(options_.cache_bytes / 8),
      playables_(options_.cache_bytes - options_.cache_bytes / 8),
      heads_(options_.secure) {
  if (reader_.info().labels.size() == 1) label_ = reader_.info().labels.front();
}

std::shared_ptr<const TapeScope> Deck::scope(const std::string& name) {
  if (options_.scopes == nullptr) return nullptr;
  if (const auto* known = scopes_.find(std::string_view(name))) return *known;
  auto found = TapeScope::find(reader_, options_.scopes->stored(name));
  const std::size_t bytes = 2 * name.size() + sizeof(TapeScope) + (found ? 64 * found->by_account.size() : 0) + 256;
  return *scopes_.insert(name, std::move(found), bytes);
}

void Deck::follow_rules() {
  if (options_.rules == nullptr || options_.rules->version() == rules_version_) return;
  rules_version_ = options_.rules->version();
  looseness_ = options_.rules->current();
  found_.clear();
}

std::string Deck::text_of(const api::RequestKey& key) const {
  // The label is an alias unless the cassette holds several (semantics §1).
  const bool relabel = key.is_call && label_ && !key.api.label.empty() && key.api.label != *label_;
  return relabel ? key.with_label(*label_) : key.text;
}

bool Deck::has(const api::RequestKey& key) const { return !reader_.sequences(text_of(key)).empty(); }

Found& Deck::find(const api::RequestKey& key, const Contents* contents, const ScopePtr& scope) {
  follow_rules();
  const bool relabel = key.is_call && label_ && !key.api.label.empty() && key.api.label != *label_;
  const std::string other = relabel || scope ? text_of(key) : std::string();
  const std::string& text = other.empty() ? key.text : other;
  const std::string in_scope = scope ? scoped(scope->name, text) : std::string();
  const std::string& place = scope ? in_scope : text;
  if (Found* known = found_.find(std::string_view(place))) return *known;
  Found found = look_up(key, text, contents, scope);
  found.scope = scope;
  const std::size_t bytes = bytes_of(place, found);
  return *found_.insert(place, std::move(found), bytes);
}

Found& Deck::find_in_scopes(const api::RequestKey& key, const Contents* contents) {
  follow_rules();
  const std::string text = text_of(key);
  const std::string place = scoped({}, text);
  if (Found* known = found_.find(std::string_view(place))) return *known;
  Found found = options_.scopes == nullptr ? Found() : look_in_scopes(key, text, contents);
  for (DeckSequence& sequence : found.sequences) pass_over_errors(sequence);
  const std::size_t bytes = bytes_of(place, found);
  return *found_.insert(place, std::move(found), bytes);
}

Found& Deck::find_conditional(const Found& plain, std::string_view conditions) {
  const std::string text = cassettes::condition_key(plain.conditional_key, conditions);
  const std::string place = plain.scope ? scoped(plain.scope->name, text) : text;
  if (Found* known = found_.find(std::string_view(place))) return *known;
  Found found;
  fill(found, {}, reader_.asides(text, plain.scope ? plain.scope->name : std::string()), plain.scope);
  const std::size_t bytes = bytes_of(place, found);
  return *found_.insert(place, std::move(found), bytes);
}

void Deck::fill(Found& found, std::string_view key_text, const std::vector<SequenceInfo>& newest_first,
                const ScopePtr& scope) const {
  found.scope = scope;
  for (const SequenceInfo& sequence : newest_first) {
    if (scope && sequence.take != scope->take) continue;
    found.hidden += sequence.hidden;
    if (sequence.passed_over > 0) found.conditional_key = key_text;
    if (sequence.count > 0) found.sequences.emplace_back().info = sequence;
  }
  if (!found.sequences.empty()) found.take = take_of(found.sequences);
}

Found Deck::look_up(const api::RequestKey& key, const std::string& text, const Contents* contents,
                    const ScopePtr& scope) {
  const std::string_view scope_name = scope ? std::string_view(scope->name) : std::string_view();
  Found found;
  cassettes::KeyLookup known = reader_.look_up(text, scope_name);
  if (known.first) keep({known.sequences.front().id, 0}, std::move(*known.first));
  fill(found, text, known.sequences, scope);
  const bool is_there = !found.sequences.empty() || found.hidden > 0 || !found.conditional_key.empty();
  if (found.sequences.empty() && key.is_call) {
    fill(found, {}, reader_.asides(cassettes::part_key(key), scope_name), scope);
    if (!found.sequences.empty()) {
      found.how = Found::How::part;
      found.match = "part of a recorded compound";
      return found;
    }
  }
  if (is_there) {
    found.how = Found::How::exact;
    return found;
  }
  return look_around(key, reader_.keys_of(key.api.rest, key.method, most_candidates, key.is_call, scope_name), contents,
                     scope);
}

Found Deck::look_in_scopes(const api::RequestKey& key, const std::string& text, const Contents* contents) {
  constexpr std::size_t most_scopes = 100;
  std::string last;
  const auto other_scope = [&](const std::string& name) {
    if (name == last) return ScopePtr();
    last = name;
    return TapeScope::find(reader_, name);
  };
  for (const std::string& name : reader_.scopes_with(text, most_scopes)) {
    const ScopePtr there = other_scope(name);
    Found found = there ? look_up(key, text, contents, there) : Found();
    if (!found.sequences.empty()) return found;
  }
  last.clear();
  if (key.is_call) {
    for (const cassettes::ScopedKey& compound : reader_.scoped_keys_of("Entry.Request", "request", most_candidates)) {
      const ScopePtr there = other_scope(compound.scope);
      Found found = there ? look_up(key, text, contents, there) : Found();
      if (found.how == Found::How::part) return found;
    }
  }
  last.clear();
  for (const auto& other : reader_.scoped_keys_of(key.api.rest, key.method, most_candidates, key.is_call)) {
    const ScopePtr there = other_scope(other.scope);
    Found found = there ? look_up(key, text, contents, there) : Found();
    if (!found.sequences.empty()) return found;
  }
  return {};
}

Found Deck::look_around(const api::RequestKey& key, std::vector<api::RequestKey> all, const Contents* contents,
                        const ScopePtr& scope) {
  constexpr std::size_t most_private = 64;  // each is read
  std::vector<Candidate> redacted, of_values;
  std::optional<Candidate> loose;
  const Asked asked(key, contents);
  const bool has_rules = std::any_of(looseness_->rules.begin(), looseness_->rules.end(),
                                     [&](const MatchRule& rule) { return rule.covers(key); });
  for (api::RequestKey& recorded : all) {
    Ways ways{recorded.has_holes, has_rules, key.is_call && of_values.size() < most_private};
    if (key.version != recorded.version) ways = {false, looseness_->any_version(key), false};
    if (!ways.any() || (key.is_call && !label_ && key.api.label != recorded.api.label)) continue;
    auto comparison = asked.compare_if(recorded, [&](std::string_view name, Likeness likeness) {
      return likeness == Likeness::same || ways.remain(likeness, looseness_->ignores(key, name));
    });
    if (!comparison || !comparison->same_rest) continue;
    comparison->same_label = true;
    if (ways.redacted && comparison->uses_redaction()) {
      redacted.push_back({std::move(recorded), std::move(*comparison)});
    } else if (ways.loose && (!loose || comparison->differences() < loose->comparison.differences())) {
      loose = Candidate{std::move(recorded), std::move(*comparison)};
    } else if (ways.by_values && comparison->differing > 0) {
      of_values.push_back({std::move(recorded), std::move(*comparison)});
    }
  }
  if (scope) std::erase_if(redacted, [&](const Candidate& one) { return !is_in_take(one.key.text, *scope); });
  Found found;
  if (redacted.size() > 1) {
    found.how = Found::How::ambiguous;
    for (const Candidate& candidate : redacted) found.candidates.push_back(candidate.key.text);
    return found;
  }
  if (redacted.empty() && !loose) choose_private(of_values, scope, found);
  const Candidate* const chosen = !redacted.empty() ? &redacted.front() : loose ? &*loose : nullptr;
  if (chosen == nullptr) return found;
  found.how = redacted.empty() ? Found::How::loosely : Found::How::redacted;
  found.match = match_note(chosen->key, chosen->comparison);
  fill(found, chosen->key.text, reader_.sequences(chosen->key.text, scope ? scope->name : std::string()), scope);
  return found;
}

void Deck::choose_private(const std::vector<Candidate>& candidates, const ScopePtr& scope, Found& found) const {
  const Candidate* chosen = nullptr;
  std::set<std::string> params;
  for (const Candidate& candidate : candidates) {
    const auto known = private_params(reader_, candidate.key.text, scope ? scope->name : std::string());
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
    found.how = Found::How::ambiguous;
    return;
  }
  found.how = Found::How::redacted;
  for (const std::string& name : found.private_params)
    found.match += (found.match.empty() ? "" : ", ") + ("private=" + name);
  fill(found, chosen->key.text, reader_.sequences(chosen->key.text, scope ? scope->name : std::string()), scope);
}

bool Deck::is_in_take(const std::string& key_text, const TapeScope& scope) const {
  const auto sequences = reader_.sequences(key_text, scope.name);
  return std::any_of(sequences.begin(), sequences.end(), [&](const auto& one) { return one.take == scope.take; });
}

void Deck::pass_over_errors(DeckSequence& sequence) const {
  const std::vector<cassettes::TurnFacts> turns = reader_.turns(sequence.info);
  const bool has_other =
      std::any_of(turns.begin(), turns.end(), [](const auto& turn) { return !ends_session(turn.error_code); });
  bool succeeds_later = false;
  for (auto turn = turns.rbegin(); turn != turns.rend(); ++turn) {
    succeeds_later = succeeds_later || turn->error_code == 0;
    const bool is_over = (ends_session(turn->error_code) && has_other) || (turn->error_code == 105 && succeeds_later);
    if (!is_over) sequence.kept.push_back(static_cast<std::uint32_t>(turns.rend() - turn - 1));
  }
  std::reverse(sequence.kept.begin(), sequence.kept.end());
  if (sequence.kept.size() == turns.size()) sequence.kept.clear();
}

std::vector<Deck::Login> Deck::logins(const Found& found, std::uint32_t account) const {
  struct Placed {
    std::uint32_t account, ord;
    Login login;
  };
  std::vector<Placed> all;
  std::uint32_t last_account = 0;
  for (const DeckSequence& sequence : found.sequences) {
    std::uint32_t position = 0;
    for (const cassettes::TurnFacts& turn : reader_.turns(sequence.info)) {
      all.push_back({turn.account, turn.ord, {sequence.info, position++}});
      last_account = std::max(last_account, turn.account);
    }
  }
  const bool is_known = std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.account == account; });
  const std::uint32_t wanted = is_known ? account : last_account;
  std::erase_if(all, [&](const Placed& one) { return one.account != wanted; });
  std::sort(all.begin(), all.end(), [](const Placed& a, const Placed& b) { return a.ord < b.ord; });
  std::vector<Login> logins;
  for (Placed& one : all) logins.push_back(std::move(one.login));
  return logins;
}

std::shared_ptr<const Playable> Deck::playable(const SequenceInfo& sequence, std::uint32_t position) {
  const Position place{sequence.id, position};
  if (const auto* known = playables_.find(place)) return known->get();
  if (const auto sent = large_.find(place); sent != large_.end()) {
    if (auto known = sent->second.lock()) return known;
  }
  return keep(place, reader_.answer(sequence, position));
}

std::shared_ptr<const Playable> Deck::keep(const Position& place, cassettes::PlayedAnswer answer) {
  auto loaded = std::make_shared<Playable>(std::move(answer), heads_);
  const std::size_t bytes = loaded->bytes() + 128;
  if (bytes <= options_.cache_bytes / 4) {
    return playables_.insert(place, CachedPlayable(std::move(loaded)), bytes)->get();
  }
  loaded->charge();
  std::erase_if(large_, [](const auto& entry) { return entry.second.expired(); });
  large_[place] = loaded;
  return loaded;
}

std::uint32_t Deck::segment(DeckSequence& sequence, std::uint32_t position) {
  if (sequence.info.count == 1) return playable(sequence.info, 0)->segment();
  const auto read = [&] { return reader_.segments(sequence.info, position, 1).at(0); };
  std::optional<std::uint32_t>* const known = position == 0                         ? &sequence.first_segment
                                              : position + 1 == sequence.info.count ? &sequence.last_segment
                                                                                    : nullptr;
  if (known == nullptr) return read();
  if (!*known) *known = read();
  return **known;
}

bool Deck::has_different_answers(DeckSequence& sequence) {
  constexpr std::uint32_t most = 1'000;
  if (!sequence.has_different_answers) {
    const cassettes::PlayedAnswer first = reader_.answer(sequence.info, 0);
    bool differs = false;
    for (std::uint32_t i = 1; !differs && i < std::min(sequence.info.count, most); ++i) {
      const cassettes::PlayedAnswer other = reader_.answer(sequence.info, i);
      differs = other.status != first.status || other.body != first.body;
    }
    sequence.has_different_answers = differs;
  }
  return *sequence.has_different_answers;
}

std::uint32_t Deck::lanes(std::uint32_t take) {
  const auto known = lanes_.find(take);
  return known != lanes_.end() ? known->second : lanes_.emplace(take, reader_.lanes(take)).first->second;
}

http::Request Deck::recorded_request(const Playable& playable) const {
  const auto full = reader_.get(playable.id());
  return full ? full->record.request : http::Request{};
}

bool Deck::used_token(const Playable& playable) {
  if (!options_.check_tokens) return false;
  const http::Request request = recorded_request(playable);
  return request.headers.contains("X-SYNO-TOKEN") || has_param(http::split_target(request.target).query, "SynoToken") ||
         (http::is_form(request.headers) && has_param(request.body, "SynoToken"));
}

}  // namespace tapedeck::replay
