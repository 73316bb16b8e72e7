#include "replay/recorded/sequence_lookup.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "api/envelope.h"
#include "base/digest.h"
#include "base/text.h"
#include "cassettes/file/part_key.h"
#include "http/message/urlencoded.h"
#include "replay/recorded/header_match.h"
#include "replay/sessions/session.h"
#include "scrubbers/redaction/redaction.h"

namespace tapedeck::replay {
namespace {

using cassettes::SequenceInfo;

/// Returns the newest take in which the key succeeded, or else the newest that has it (docs/matching.md, "Sequences,
/// lanes, and positions").
std::uint32_t take_of(const std::vector<FoundSequence>& newest_first) {
  const auto success = std::find_if(newest_first.begin(), newest_first.end(),
                                    [](const FoundSequence& sequence) { return sequence.info.succeeded; });
  return success != newest_first.end() ? success->info.take : newest_first.front().info.take;
}

/// Leaves out lanes and takes in which the call only has responses that a session has ended, if another one has more.
/// Responses to clients without an ID stay: PositionPicker plays them to such clients alone.
void leave_out_ends(std::vector<FoundSequence>& sequences) {
  const auto only_ends_sessions = [](const FoundSequence& one) { return one.only_ends_sessions(); };
  if (std::all_of(sequences.begin(), sequences.end(), only_ends_sessions)) return;
  std::erase_if(sequences, [&](const FoundSequence& one) { return one.info.lane != 0 && only_ends_sessions(one); });
}

/// Returns true if the scope must not replay the sequence, because it is not in the scope's own take.
bool is_elsewhere(const SequenceInfo& sequence, const std::shared_ptr<const RecordedScope>& scope) {
  return scope && sequence.take != scope->take;
}

/// Combines scope and text to a text that cannot be a key.
std::string scoped(std::string_view scope, std::string_view text) {
  return std::string(1, '\0').append(scope).append(1, '\0').append(text);
}

std::size_t bytes_of(const std::string& text, const LookupResult& found) {
  std::size_t bytes = sizeof(LookupResult) + 3 * text.size() + found.sequences.size() * sizeof(FoundSequence) + 128;
  for (const FoundSequence& one : found.sequences) {
    if (one.merged) bytes += one.merged->places.size() * sizeof(one.merged->places.front());
  }
  return bytes;
}

/// Returns true if the request has the secrets of a sequence: the values in the holes of its key are the stand-ins that
/// replay returned for them.
bool has_secrets(std::string_view secrets, const std::vector<std::string>& values, const std::string& origin) {
  if (secrets.empty()) return false;
  for (std::size_t i = 0; !secrets.empty(); ++i) {
    const std::string_view one = base::take_until(secrets, ' ');
    if (one == "-") continue;
    if (i >= values.size() || values[i] != stand_in(scrubbers::secret_in(one), origin)) return false;
  }
  return true;
}

bool has_param(std::string_view text, std::string_view name) {
  const std::vector<http::Pair> pairs = http::parse_urlencoded(text);
  return std::any_of(pairs.begin(), pairs.end(), [name](const http::Pair& pair) { return pair.name == name; });
}

}  // namespace

bool FoundSequence::only_ends_sessions() const { return api::ends_session(info.first_error); }

SequenceLookup::SequenceLookup(std::shared_ptr<const cassettes::CassetteReader> reader, LookupOptions options)
    : reader_(std::move(reader)),
      options_(std::move(options)),
      policy_(reader_->info().key_policy),
      parts_(*reader_, policy_),
      accounts_(recorded_accounts(*reader_, {}, std::nullopt)),
      scopes_(options_.cache_bytes / 16),
      found_(options_.cache_bytes / 8),
      playables_(options_.cache_bytes - options_.cache_bytes / 8) {
  if (reader_->info().labels.size() == 1) label_ = reader_->info().labels.front();
}

std::shared_ptr<const RecordedScope> SequenceLookup::scope(const std::string& name) {
  if (options_.scopes == nullptr) return nullptr;
  if (const auto* known = scopes_.find(std::string_view(name))) return *known;
  auto found = RecordedScope::find(*reader_, options_.scopes->stored(name));
  const std::size_t bytes =
      2 * name.size() + sizeof(RecordedScope) + (found ? 64 * found->sessions.by_account.size() : 0) + 256;
  return *scopes_.insert(name, std::move(found), bytes);
}

void SequenceLookup::follow_rules() {
  if (options_.rules == nullptr || options_.rules->version() == rules_version_) return;
  rules_version_ = options_.rules->version();
  looseness_ = options_.rules->current();
  found_.clear();
}

std::string SequenceLookup::text_of(const api::RequestKey& key) const {
  // The label is an alias unless the cassette has several (docs/matching.md, "Keys").
  const bool relabel = key.is_call && label_ && !key.api.label.empty() && key.api.label != *label_;
  return relabel ? key.with_label(*label_) : key.text;
}

void SequenceLookup::use(std::shared_ptr<const cassettes::RequestIdentities> identities) {
  if (identities_ == identities) return;
  identities_ = std::move(identities);
  found_.clear();
}

bool SequenceLookup::has(const api::RequestKey& key) const { return !reader_->sequences(text_of(key)).empty(); }

LookupResult& SequenceLookup::find(const api::RequestKey& key, const LookupRequest& request, const ScopePtr& scope) {
  follow_rules();
  filter_ = request.accounts;
  headers_ = request.headers;
  const bool relabel = key.is_call && label_ && !key.api.label.empty() && key.api.label != *label_;
  const bool is_filtered = filter_.kind != AccountFilter::Kind::all;
  const std::string other = relabel || scope || is_filtered ? text_of(key) : std::string();
  const std::string& text = other.empty() ? key.text : other;
  std::string special = scope ? scoped(scope->name, text) : request.range.empty() ? std::string() : text;
  // A key's text never contains a line break.
  if (!request.range.empty()) special.append("\n").append(request.range);
  if (is_filtered) special = scoped(filter_.text(), special.empty() ? text : special).insert(0, 1, '\0');
  // Most requests have none of these headers, and their place is the text alone.
  if (headers_ && !headers_->empty()) special = scoped(*headers_, special.empty() ? text : special);
  if (!headers_ && identities_ && !identities_->empty()) special = scoped("\n", special.empty() ? text : special);
  const std::string& place = special.empty() ? text : special;
  if (LookupResult* known = found_.find(std::string_view(place))) return *known;
  LookupResult found = look_up(key, text, request, scope);
  found.scope = scope;
  found.tied = filter_.tied;
  return keep(place, std::move(found));
}

LookupResult& SequenceLookup::keep(const std::string& place, LookupResult found) {
  const std::size_t bytes = bytes_of(place, found);
  return *found_.insert(place, std::move(found), bytes);
}

void SequenceLookup::fill(LookupResult& found, const api::RequestKey& asked, const api::RequestKey& recorded,
                          const std::string& text, const ScopePtr& scope) {
  add_recorded(found, asked, recorded, text, scope);
  sort_and_choose_take(found, scope);
  if (!found.is_unidentified) return;
  found.how = LookupResult::How::ambiguous;
  found.candidates = {text};
  found.sequences.clear();
}

void SequenceLookup::add_recorded(LookupResult& found, const api::RequestKey& asked, const api::RequestKey& recorded,
                                  const std::string& text, const ScopePtr& scope) const {
  const std::string_view scope_name = scope ? std::string_view(scope->name) : std::string_view();
  std::vector<FoundSequence> others = std::exchange(found.sequences, {});
  add(found, reader_->sequences(text, scope_name), scope, false);
  if (recorded.is_call) add(found, reader_->parts(cassettes::part_key(recorded), scope_name), scope, true);
  const auto has_secrets = [](const FoundSequence& one) { return !one.info.secrets.empty(); };
  if (std::any_of(found.sequences.begin(), found.sequences.end(), has_secrets))
    keep_matching_secrets(asked, recorded, scope, found);
  keep_matching_headers(found);
  settle_secrets(found);
  others.insert(others.end(), std::make_move_iterator(found.sequences.begin()),
                std::make_move_iterator(found.sequences.end()));
  found.sequences = std::move(others);
}

void SequenceLookup::keep_matching_secrets(const api::RequestKey& asked, const api::RequestKey& recorded,
                                           const ScopePtr& scope, LookupResult& found) const {
  const std::vector<std::string> values = values_in_holes(asked, recorded);
  const std::string scope_name = scope ? scope->name : std::string();
  const auto is_meant = [&](const FoundSequence& one) {
    return has_secrets(one.info.secrets, values, reader_->origin(one.info.take, scope_name));
  };
  if (std::any_of(found.sequences.begin(), found.sequences.end(), is_meant)) {
    std::erase_if(found.sequences, [&](const FoundSequence& one) { return !is_meant(one); });
    return;
  }
  std::map<std::uint32_t, std::set<std::string>> by_take;
  for (const FoundSequence& one : found.sequences) by_take[one.info.take].insert(one.info.secrets);
  found.is_unidentified =
      std::any_of(by_take.begin(), by_take.end(), [](const auto& one) { return one.second.size() > 1; });
}

void SequenceLookup::add(LookupResult& found, const std::vector<SequenceInfo>& sequences, const ScopePtr& scope,
                         bool are_parts) const {
  for (const SequenceInfo& sequence : sequences) {
    if (is_elsewhere(sequence, scope) || !filter_.keeps(sequence, accounts(scope))) continue;
    std::vector<HeaderPart> parts(1);
    parts.front().sequence.info = sequence;
    if (headers_ && identities_) parts = parts_by_headers(*reader_, *identities_, sequence);
    const std::string origin =
        headers_ && !headers_->empty() ? reader_->origin(sequence.take, scope ? scope->name : std::string()) : "";
    for (HeaderPart& part : parts) {
      part.sequence.is_part = are_parts;
      add_part(found, std::move(part.sequence), part.headers, origin);
    }
  }
}

void SequenceLookup::add_part(LookupResult& found, FoundSequence part, const std::string& headers,
                              const std::string& origin) const {
  if (headers_) part.header_match = header_match(headers, *headers_, origin);
  if (part.header_match == HeaderMatch::none) {
    const std::string names = api::differing_headers(headers, *headers_);
    if (found.other_headers.empty() || names.size() < found.other_headers.size()) found.other_headers = names;
    return;
  }
  if (part.header_match == HeaderMatch::redacted) part.headers = headers;
  found.hidden += part.info.hidden;
  found.has_skipped = found.has_skipped || (!part.is_part && part.info.passed_over > 0);
  if (part.info.count > 0) found.sequences.push_back(std::move(part));
}

void SequenceLookup::keep_matching_headers(LookupResult& found) {
  const auto is_exact = [](const FoundSequence& one) { return one.header_match == HeaderMatch::exact; };
  if (std::all_of(found.sequences.begin(), found.sequences.end(), is_exact)) return;
  if (std::any_of(found.sequences.begin(), found.sequences.end(), is_exact)) {
    std::erase_if(found.sequences, [&](const FoundSequence& one) { return !is_exact(one); });
    return;
  }
  const std::string& headers = found.sequences.front().headers;
  found.is_unidentified =
      found.is_unidentified || std::any_of(found.sequences.begin(), found.sequences.end(),
                                           [&](const FoundSequence& one) { return one.headers != headers; });
  const std::string note = "redacted=" + api::differing_headers(headers, {});
  if (found.match.find(note) == std::string::npos) found.match += (found.match.empty() ? "" : ", ") + note;
}

void SequenceLookup::settle_secrets(LookupResult& found) {
  std::map<std::uint32_t, std::set<std::string>> by_take;
  for (const FoundSequence& one : found.sequences) by_take[one.info.take].merge(std::set(one.request_secrets));
  for (FoundSequence& one : found.sequences) {
    if (!one.request_secrets.empty() && by_take[one.info.take].size() == 1) one.info.is_ambiguous = false;
  }
}

std::vector<cassettes::TurnFacts> SequenceLookup::turns(const FoundSequence& sequence) const {
  if (!sequence.merged) return reader_->turns(sequence.info);
  std::vector<cassettes::TurnFacts> facts;
  for (const FoundSequence::Merged::Place& place : sequence.merged->places) facts.push_back(place.facts);
  return facts;
}

void SequenceLookup::sort_and_choose_take(LookupResult& found, const ScopePtr& scope) const {
  found.scope = scope;
  std::stable_sort(found.sequences.begin(), found.sequences.end(), [](const FoundSequence& a, const FoundSequence& b) {
    return std::tuple(b.info.take, a.info.lane, a.info.account) < std::tuple(a.info.take, b.info.lane, b.info.account);
  });
  if (!scope) leave_out_ends(found.sequences);
  if (found.sequences.empty()) return;
  found.take = take_of(found.sequences);
}

LookupResult SequenceLookup::look_up(const api::RequestKey& key, const std::string& text, const LookupRequest& request,
                                     const ScopePtr& scope) {
  LookupResult found;
  if (!request.range.empty()) {
    const std::string_view scope_name = scope ? std::string_view(scope->name) : std::string_view();
    const std::string of_range = api::RequestKey::parse(text).with_range(request.range).text;
    add(found, reader_->sequences(of_range, scope_name), scope, false);
  }
  fill(found, key, key, text, scope);
  if (found.how == LookupResult::How::ambiguous) return found;
  const auto is_part = [](const FoundSequence& one) { return one.is_part; };
  const bool is_there = !found.sequences.empty() || found.hidden > 0 || found.has_skipped;
  if (is_there) {
    const bool is_part_alone =
        !found.sequences.empty() && std::all_of(found.sequences.begin(), found.sequences.end(), is_part);
    found.how = is_part_alone ? LookupResult::How::part : LookupResult::How::exact;
    look_for_merged(key, text, scope, found);
    return found;
  }
  LookupResult inexact = find_inexact(key, request, scope);
  if (inexact.how == LookupResult::How::nothing) inexact.other_headers = found.other_headers;
  return inexact;
}

std::vector<api::RequestKey> SequenceLookup::comparable(const api::RequestKey& key, const ScopePtr& scope) {
  const std::string scope_name = scope ? scope->name : std::string();
  auto all = reader_->keys_of(key.api.rest, key.method, most_candidates, key.is_call, scope_name);
  const auto parts = key.is_call ? parts_.of(key.api.rest, key.method, scope_name) : std::vector<api::RequestKey>();
  if (parts.empty()) return all;
  std::set<std::string> alone;
  for (const api::RequestKey& one : all) alone.insert(cassettes::part_key(one));
  for (const api::RequestKey& part : parts) {
    // The first label of a part is ignored.
    std::string text = part.with_label(key.api.label);
    if (!alone.contains(cassettes::part_key(part))) all.push_back(api::RequestKey::parse(text));
  }
  return all;
}

bool SequenceLookup::is_recorded(const api::RequestKey& key, const ScopePtr& scope) const {
  const std::string_view scope_name = scope ? std::string_view(scope->name) : std::string_view();
  LookupResult found;
  add(found, reader_->sequences(key.text, scope_name), scope, false);
  if (key.is_call) add(found, reader_->parts(cassettes::part_key(key), scope_name), scope, true);
  return !found.sequences.empty() || found.hidden > 0 || found.has_skipped;
}

std::vector<SequenceLookup::Login> SequenceLookup::logins(const LookupResult& found, std::uint32_t account) const {
  struct Placed {
    std::uint32_t account, ord;
    Login login;
  };
  std::vector<Placed> all;
  std::uint32_t last_account = 0;
  for (const FoundSequence& sequence : found.sequences) {
    std::uint32_t position = 0;
    for (const cassettes::TurnFacts& turn : turns(sequence)) {
      const FoundSequence::Recorded recorded = sequence.recorded(position++);
      all.push_back({turn.account, turn.ord, {recorded.sequence, recorded.position}});
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

std::shared_ptr<const Playable> SequenceLookup::playable(const SequenceInfo& sequence, std::uint32_t position) {
  const Position place{sequence.id, position};
  if (const auto* known = playables_.find(place)) return known->get();
  if (const auto sent = large_.find(place); sent != large_.end()) {
    if (auto known = sent->second.lock()) return known;
  }
  return keep(place, reader_->answer(sequence, position));
}

std::shared_ptr<const Playable> SequenceLookup::keep(const Position& place, cassettes::PlayedAnswer answer) {
  auto loaded = std::make_shared<Playable>(std::move(answer), options_.secure, options_.web_keys);
  const std::size_t bytes = loaded->bytes() + 128;
  if (bytes <= options_.cache_bytes / 4) {
    return playables_.insert(place, CachedPlayable(std::move(loaded)), bytes)->get();
  }
  loaded->charge();
  std::erase_if(large_, [](const auto& entry) { return entry.second.expired(); });
  large_[place] = loaded;
  return loaded;
}

std::shared_ptr<const Playable> SequenceLookup::playable(const FoundSequence& sequence, std::uint32_t position) {
  const FoundSequence::Recorded recorded = sequence.recorded(position);
  return playable(recorded.sequence, recorded.position);
}

std::uint32_t SequenceLookup::segment(FoundSequence& sequence, std::uint32_t position) {
  if (sequence.merged) return sequence.merged->places.at(position).segment;
  if (sequence.info.count == 1) return playable(sequence.info, 0)->segment();
  const auto read = [&] { return reader_->segments(sequence.info, position, 1).at(0); };
  std::optional<std::uint32_t>* const known = position == 0                         ? &sequence.first_segment
                                              : position + 1 == sequence.info.count ? &sequence.last_segment
                                                                                    : nullptr;
  if (known == nullptr) return read();
  if (!*known) *known = read();
  return **known;
}

bool SequenceLookup::has_different_answers(FoundSequence& sequence) {
  constexpr std::uint32_t most = 1'000;
  if (!sequence.has_different_answers) {
    const auto answer = [&](std::uint32_t position) {
      const FoundSequence::Recorded recorded = sequence.recorded(position);
      return reader_->answer(recorded.sequence, recorded.position);
    };
    const cassettes::PlayedAnswer first = answer(0);
    bool differs = false;
    for (std::uint32_t i = 1; !differs && i < std::min(sequence.info.count, most); ++i) {
      const cassettes::PlayedAnswer other = answer(i);
      differs = other.status != first.status || other.body != first.body;
    }
    sequence.has_different_answers = differs;
  }
  return *sequence.has_different_answers;
}

const RecordedSessions& SequenceLookup::sessions(std::uint32_t take, const ScopePtr& scope) {
  if (scope) return scope->sessions;
  const auto known = sessions_.find(take);
  return known != sessions_.end() ? known->second
                                  : sessions_.emplace(take, recorded_sessions(*reader_, take, {})).first->second;
}

std::set<RecordedAccounts::Place> SequenceLookup::accounts_of(const LookupResult& found) const {
  std::set<RecordedAccounts::Place> places;
  std::optional<std::size_t> family;
  for (const FoundSequence& one : found.sequences) {
    const auto place = accounts(found.scope).place(one.info.take, one.info.account);
    if (place && one.info.take == found.take) family = place->family;
  }
  for (const FoundSequence& one : found.sequences) {
    const auto place = accounts(found.scope).place(one.info.take, one.info.account);
    if (place && place->family == family) places.insert(*place);
  }
  return places;
}

bool SequenceLookup::accounts_differ(LookupResult& found) {
  constexpr std::size_t most = 1'000;
  if (found.accounts_differ) return *found.accounts_differ;
  const std::set<RecordedAccounts::Place> places = accounts_of(found);
  std::map<std::optional<RecordedAccounts::Place>, std::set<std::pair<int, std::string>>> responses;
  std::size_t looked = 0;
  for (const FoundSequence& one : found.sequences) {
    const auto place = accounts(found.scope).place(one.info.take, one.info.account);
    if (place ? !places.contains(*place) : one.info.take != found.take) continue;
    for (std::uint32_t i = 0; i < one.info.count && looked < most; ++i, ++looked) {
      const FoundSequence::Recorded recorded = one.recorded(i);
      const cassettes::PlayedAnswer answer = reader_->answer(recorded.sequence, recorded.position);
      responses[place].emplace(answer.status, base::to_hex(base::sha256(answer.body)));
    }
  }
  const auto is_other = [&](const auto& one) { return one.second != responses.begin()->second; };
  found.accounts_differ = looked == most || std::any_of(responses.begin(), responses.end(), is_other);
  return *found.accounts_differ;
}

http::Request SequenceLookup::recorded_request(const Playable& playable) const {
  const auto full = reader_->get(playable.id());
  return full ? full->record.request : http::Request{};
}

bool SequenceLookup::used_token(const Playable& playable) {
  if (!options_.check_tokens) return false;
  const http::Request request = recorded_request(playable);
  return request.headers.contains("X-SYNO-TOKEN") || has_param(http::split_target(request.target).query, "SynoToken") ||
         (http::is_form(request.headers) && has_param(request.body, "SynoToken"));
}

}  // namespace tapedeck::replay
