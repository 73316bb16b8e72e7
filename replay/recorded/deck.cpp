#include "replay/recorded/deck.h"

#include <algorithm>

#include "http/message/urlencoded.h"

namespace tapedeck::replay {
namespace {

using cassettes::SequenceInfo;

/// Semantics §2: the newest take in which the key succeeded, or else the newest that has it.
std::uint32_t take_of(const std::vector<SequenceInfo>& sequences) {
  std::uint32_t newest = 0;
  std::uint32_t newest_success = 0;
  for (const SequenceInfo& sequence : sequences) {
    if (sequence.count == 0) continue;
    newest = std::max(newest, sequence.take);
    if (sequence.succeeded) newest_success = std::max(newest_success, sequence.take);
  }
  return newest_success > 0 ? newest_success : newest;
}

struct Candidate {
  api::RequestKey key;
  Comparison comparison;
};

std::size_t bytes_of(const std::string& text, const Found& found) {
  return sizeof(Found) + 2 * text.size() + found.sequences.size() * sizeof(DeckSequence) + 128;
}

bool has_param(std::string_view text, std::string_view name) {
  const std::vector<http::Pair> pairs = http::parse_urlencoded(text);
  return std::any_of(pairs.begin(), pairs.end(), [name](const http::Pair& pair) { return pair.name == name; });
}

}  // namespace

Deck::Deck(cassettes::CassetteReader reader, DeckOptions options)
    : reader_(std::move(reader)),
      options_(std::move(options)),
      policy_(reader_.info().key_policy),
      found_(options_.cache_bytes / 8),
      playables_(options_.cache_bytes - options_.cache_bytes / 8),
      heads_(options_.secure) {
  if (reader_.info().labels.size() == 1) label_ = reader_.info().labels.front();
}

const Found& Deck::find(const api::RequestKey& key) {
  // The label is an alias unless the cassette holds several (semantics §1).
  const bool relabel = key.is_call && label_ && !key.api.label.empty() && key.api.label != *label_;
  const std::string relabelled = relabel ? key.with_label(*label_) : std::string();
  const std::string& text = relabel ? relabelled : key.text;
  if (const Found* known = found_.find(std::string_view(text))) return *known;
  Found found = look_up(key, text);
  const std::size_t bytes = bytes_of(text, found);
  return *found_.insert(text, std::move(found), bytes);
}

Found Deck::look_up(const api::RequestKey& key, const std::string& text) {
  cassettes::KeyLookup known = reader_.look_up(text);
  if (known.sequences.empty()) return look_around(key);
  if (known.first) keep({known.sequences.front().id, 0}, std::move(*known.first));
  Found found;
  found.how = Found::How::exact;
  fill(found, known.sequences);
  return found;
}

Found Deck::look_around(const api::RequestKey& key) {
  std::vector<Candidate> redacted;
  std::optional<Candidate> loose;
  for (api::RequestKey& recorded : reader_.keys_of(key.api.rest, key.method, most_candidates)) {
    if (recorded.is_call != key.is_call) continue;
    Comparison comparison = compare(key, recorded);
    if (key.is_call && !label_ && !comparison.same_label) continue;
    comparison.same_label = true;
    if (comparison.uses_redaction() && may_answer(key, comparison, {})) {
      redacted.push_back({std::move(recorded), std::move(comparison)});
    } else if (!options_.looseness.is_exact() && may_answer(key, comparison, options_.looseness) &&
               (!loose || comparison.differences() < loose->comparison.differences())) {
      loose = Candidate{std::move(recorded), std::move(comparison)};
    }
  }
  Found found;
  if (redacted.size() > 1) {
    found.how = Found::How::ambiguous;
    for (const Candidate& candidate : redacted) found.candidates.push_back(candidate.key.text);
    return found;
  }
  const Candidate* const chosen = !redacted.empty() ? &redacted.front() : loose ? &*loose : nullptr;
  if (chosen == nullptr) return found;
  found.how = redacted.empty() ? Found::How::loosely : Found::How::redacted;
  found.match = match_note(chosen->key, chosen->comparison);
  fill(found, reader_.sequences(chosen->key.text));
  return found;
}

void Deck::fill(Found& found, const std::vector<SequenceInfo>& all) {
  const std::uint32_t take = take_of(all);
  for (const SequenceInfo& sequence : all) {
    found.hidden += sequence.hidden;
    if (sequence.take != take || sequence.count == 0) continue;
    DeckSequence known{sequence, 0, 0};
    if (sequence.count > 1) {
      known.first_segment = reader_.segments(sequence, 0, 1).at(0);
      known.last_segment = reader_.segments(sequence, sequence.count - 1, 1).at(0);
    }
    found.sequences.push_back(known);
  }
  std::sort(found.sequences.begin(), found.sequences.end(),
            [](const DeckSequence& a, const DeckSequence& b) { return a.info.lane < b.info.lane; });
}

std::shared_ptr<const Playable> Deck::playable(const SequenceInfo& sequence, std::uint32_t position) {
  const Position place{sequence.id, position};
  if (const auto* known = playables_.find(place)) return *known;
  if (const auto sent = large_.find(place); sent != large_.end()) {
    if (auto known = sent->second.lock()) return known;
  }
  return keep(place, reader_.answer(sequence, position));
}

std::shared_ptr<const Playable> Deck::keep(const Position& place, cassettes::PlayedAnswer answer) {
  auto loaded = std::make_shared<Playable>(std::move(answer), heads_);
  const std::size_t bytes = loaded->bytes() + 128;
  if (bytes <= options_.cache_bytes / 4) return *playables_.insert(place, std::move(loaded), bytes);
  loaded->charge();
  std::erase_if(large_, [](const auto& entry) { return entry.second.expired(); });
  large_[place] = loaded;
  return loaded;
}

std::uint32_t Deck::segment(const DeckSequence& sequence, std::uint32_t position) {
  if (sequence.info.count == 1) return playable(sequence.info, 0)->segment();
  if (position == 0) return sequence.first_segment;
  if (position + 1 == sequence.info.count) return sequence.last_segment;
  return reader_.segments(sequence.info, position, 1).at(0);
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
