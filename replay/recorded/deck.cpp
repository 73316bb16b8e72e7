#include "replay/recorded/deck.h"

#include <algorithm>

#include "cassettes/file/aside_key.h"
#include "http/message/urlencoded.h"

namespace tapedeck::replay {
namespace {

using cassettes::SequenceInfo;

/// Semantics §2: the newest take in which the key succeeded, or else the newest that has it.
std::uint32_t take_of(const std::vector<DeckSequence>& newest_first) {
  const auto success = std::find_if(newest_first.begin(), newest_first.end(),
                                    [](const DeckSequence& sequence) { return sequence.info.succeeded; });
  return success != newest_first.end() ? success->info.take : newest_first.front().info.take;
}

/// With what may be played of a key's sequences.
void fill(Found& found, std::string_view key_text, const std::vector<SequenceInfo>& newest_first) {
  for (const SequenceInfo& sequence : newest_first) {
    found.hidden += sequence.hidden;
    if (sequence.passed_over > 0) found.conditional_key = key_text;
    if (sequence.count > 0) found.sequences.push_back({sequence, std::nullopt, std::nullopt});
  }
  if (!found.sequences.empty()) found.take = take_of(found.sequences);
}

struct Candidate {
  api::RequestKey key;
  Comparison comparison;
};

std::size_t bytes_of(const std::string& text, const Found& found) {
  return sizeof(Found) + 3 * text.size() + found.sequences.size() * sizeof(DeckSequence) + 128;
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

Found& Deck::find(const api::RequestKey& key, const Contents* contents) {
  // The label is an alias unless the cassette holds several (semantics §1).
  const bool relabel = key.is_call && label_ && !key.api.label.empty() && key.api.label != *label_;
  const std::string relabelled = relabel ? key.with_label(*label_) : std::string();
  const std::string& text = relabel ? relabelled : key.text;
  if (Found* known = found_.find(std::string_view(text))) return *known;
  Found found = look_up(key, text, contents);
  const std::size_t bytes = bytes_of(text, found);
  return *found_.insert(text, std::move(found), bytes);
}

Found& Deck::find_conditional(const std::string& conditional_key, std::string_view conditions) {
  const std::string text = cassettes::condition_key(conditional_key, conditions);
  if (Found* known = found_.find(std::string_view(text))) return *known;
  Found found;
  fill(found, {}, reader_.asides(text));
  const std::size_t bytes = bytes_of(text, found);
  return *found_.insert(text, std::move(found), bytes);
}

Found Deck::look_up(const api::RequestKey& key, const std::string& text, const Contents* contents) {
  Found found;
  cassettes::KeyLookup known = reader_.look_up(text);
  if (known.first) keep({known.sequences.front().id, 0}, std::move(*known.first));
  fill(found, text, known.sequences);
  if (found.sequences.empty() && key.is_call) {
    fill(found, {}, reader_.asides(cassettes::part_key(key)));
    if (!found.sequences.empty()) {
      found.how = Found::How::part;
      found.match = "part of a recorded compound";
      return found;
    }
  }
  if (known.sequences.empty()) return look_around(key, contents);
  found.how = Found::How::exact;
  return found;
}

Found Deck::look_around(const api::RequestKey& key, const Contents* contents) {
  std::vector<Candidate> redacted;
  std::optional<Candidate> loose;
  for (api::RequestKey& recorded : reader_.keys_of(key.api.rest, key.method, most_candidates, key.is_call)) {
    Comparison comparison = compare(key, recorded, contents);
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
  fill(found, chosen->key.text, reader_.sequences(chosen->key.text));
  return found;
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
