#include "replay/recorded/continued_takes.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "api/envelope.h"

namespace tapedeck::replay {
namespace {

using cassettes::TurnFacts;
using MergedPlace = FoundSequence::Merged::Place;

/// Returns the lane of one take that a client in `lane` of another one uses.
std::uint32_t lane_among(std::uint32_t lane, std::uint32_t lanes) {
  return lane <= lanes || lanes == 0 ? lane : 1 + (lane - 1) % lanes;
}

/// Returns an ID for a copy of the sequence with this ID. Positions are stored under it. IDs are numbers of rows, or
/// for merged sequences (SequenceLookup::merge) their negatives.
std::int64_t id_of_copy(std::int64_t id) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(id) ^ (std::uint64_t{1} << 62));
}

/// Returns the facts about a place, or those of a response at the end if the cassette lacks them.
TurnFacts facts_at(const std::vector<std::vector<TurnFacts>>& of_members, const MergedPlace& place) {
  const std::vector<TurnFacts>& turns = of_members[place.member];
  return place.position < turns.size() ? turns[place.position] : TurnFacts{0, 0, UINT32_MAX, std::nullopt};
}

/// Removes the places that finishing would have skipped if all had been recorded in one take: the end of sessions, and
/// error 105 before a success (docs/replay.md, "Sequences, lanes, and positions").
void skip_passed_over(std::vector<MergedPlace>& places, const std::vector<std::vector<TurnFacts>>& of_members) {
  const auto ends = [&](const MergedPlace& place) { return api::ends_session(facts_at(of_members, place).error_code); };
  const auto succeeds = [&](const MergedPlace& place) { return facts_at(of_members, place).error_code == 0; };
  if (!std::all_of(places.begin(), places.end(), ends)) std::erase_if(places, ends);
  const auto last_success = std::find_if(places.rbegin(), places.rend(), succeeds).base();
  const auto refused = std::remove_if(places.begin(), last_success, [&](const MergedPlace& place) {
    return facts_at(of_members, place).error_code == 105;
  });
  places.erase(refused, last_success);
}

}  // namespace

/// The sequences of one take, or of a take and those that were joined to it.
struct ContinuedTakes::OfTake {
  std::uint32_t take = 0;
  std::uint32_t lanes = 0;  ///< 0: none was joined
  Lanes by_lane;

  template <class Is>
  [[nodiscard]] bool any(const Is& is) const {
    return std::any_of(by_lane.begin(), by_lane.end(),
                       [&](const auto& lane) { return std::any_of(lane.second.begin(), lane.second.end(), is); });
  }
  [[nodiscard]] bool succeeded() const {
    return any([](const FoundSequence& one) { return one.info.succeeded; });
  }
  [[nodiscard]] bool is_ambiguous() const {
    return any([](const FoundSequence& one) { return one.info.is_ambiguous; });
  }
  /// Returns the sequences that a client in this lane uses if the take lacks the lane.
  [[nodiscard]] const std::vector<FoundSequence>& others(std::uint32_t lane, std::uint32_t count) const {
    const auto mapped = by_lane.find(lane_among(lane, count));
    if (mapped != by_lane.end()) return mapped->second;
    const auto plays = std::find_if(by_lane.begin(), by_lane.end(),
                                    [](const auto& one) { return !one.second.front().only_ends_sessions(); });
    return plays == by_lane.end() || lane == 0 ? by_lane.begin()->second : plays->second;
  }
  void move_to(std::vector<FoundSequence>& all) {
    for (auto& [lane, sequences] : by_lane) std::move(sequences.begin(), sequences.end(), std::back_inserter(all));
    by_lane.clear();
  }
};

struct ContinuedTakes::Split {
  std::optional<FoundSequence> before, after;
};

ContinuedTakes::ContinuedTakes(const cassettes::CassetteReader& reader)
    : reader_(reader), continuing_(reader.info().continuing()) {}

std::uint32_t ContinuedTakes::first_of(std::uint32_t take) const {
  while (take > 1 && has(take)) --take;
  return take;
}

void ContinuedTakes::make_merged(FoundSequence& sequence) const {
  if (sequence.merged) return;
  auto merged = std::make_shared<FoundSequence::Merged>();
  merged->members = {sequence.info};
  const auto segments = reader_.segments(sequence.info, 0, sequence.info.count);
  for (std::uint32_t i = 0; i < segments.size(); ++i) merged->places.push_back({0, i, segments[i]});
  sequence.merged = std::move(merged);
}

ContinuedTakes::Split ContinuedTakes::split(FoundSequence sequence) const {
  make_merged(sequence);
  const auto& places = sequence.merged->places;
  const auto is_before = [](const MergedPlace& place) { return place.segment == 0; };
  const auto border = std::partition_point(places.begin(), places.end(), is_before);
  const auto part = [&](auto begin, auto end) -> std::optional<FoundSequence> {
    if (begin == end) return std::nullopt;
    FoundSequence one = sequence;
    auto merged = std::make_shared<FoundSequence::Merged>();
    merged->members = sequence.merged->members;
    merged->places.assign(begin, end);
    one.info.count = static_cast<std::uint32_t>(merged->places.size());
    one.merged = std::move(merged);
    return one;
  };
  return {part(places.begin(), border), part(border, places.end())};
}

/// Appends responses to a sequence. They were requested in the state of its last response.
FoundSequence ContinuedTakes::joined(FoundSequence first, const std::vector<const FoundSequence*>& added) const {
  make_merged(first);
  auto merged = std::make_shared<FoundSequence::Merged>(*first.merged);
  const std::uint32_t segment = merged->places.back().segment;
  std::vector<MergedPlace> more;
  for (const FoundSequence* const one : added) {
    const auto offset = static_cast<std::uint32_t>(merged->members.size());
    const auto& members = one->merged->members;
    merged->members.insert(merged->members.end(), members.begin(), members.end());
    for (const MergedPlace& place : one->merged->places) {
      more.push_back({offset + place.member, place.position, segment});
    }
    first.info.succeeded = first.info.succeeded || one->info.succeeded;
    first.info.is_ambiguous = first.info.is_ambiguous || one->info.is_ambiguous;
    first.info.passed_over += one->info.passed_over;
    first.info.hidden += one->info.hidden;
  }
  std::vector<std::vector<TurnFacts>> of_members;
  for (const auto& member : merged->members) of_members.push_back(reader_.turns(member));
  const auto ord = [&](const MergedPlace& place) { return facts_at(of_members, place).ord; };
  std::stable_sort(more.begin(), more.end(), [&](const auto& a, const auto& b) { return ord(a) < ord(b); });
  merged->places.insert(merged->places.end(), more.begin(), more.end());
  skip_passed_over(merged->places, of_members);
  first.info.count = static_cast<std::uint32_t>(merged->places.size());
  first.info.first_error = facts_at(of_members, merged->places.front()).error_code;
  first.merged = std::move(merged);
  return first;
}

/// Joins the sequences of one lane. If it has calls alone as well as parts of compounds, each continues its own kind;
/// otherwise the one that it has was replayed for both.
std::vector<FoundSequence> ContinuedTakes::join_lane(const std::vector<FoundSequence>& first,
                                                     const std::vector<FoundSequence>& added,
                                                     std::optional<std::uint32_t> new_lane) const {
  const bool has_both = first.front().is_part != first.back().is_part;
  std::vector<FoundSequence> all;
  for (const FoundSequence& one : first) {
    std::vector<const FoundSequence*> more;
    for (const FoundSequence& other : added) {
      if (!has_both || other.is_part == one.is_part) more.push_back(&other);
    }
    FoundSequence& result = all.emplace_back(one);
    if (new_lane) make_merged(result);
    if (!more.empty()) result = joined(std::move(result), more);
    if (!new_lane) continue;
    result.info.lane = *new_lane;
    if (!more.empty()) result.info.id = id_of_copy(more.front()->info.id);
  }
  return all;
}

void ContinuedTakes::join(OfTake& chosen, OfTake next, std::vector<FoundSequence>& others) const {
  OfTake added{next.take, reader_.lanes(next.take), {}};
  for (auto& [lane, sequences] : next.by_lane) {
    for (FoundSequence& one : sequences) {
      Split parts = split(std::move(one));
      if (parts.before) added.by_lane[lane].push_back(*std::move(parts.before));
      if (parts.after) others.push_back(*std::move(parts.after));
    }
  }
  if (added.by_lane.empty()) return;
  if (chosen.lanes == 0) chosen.lanes = reader_.lanes(chosen.take);
  Lanes all = chosen.by_lane;
  for (const auto& [lane, sequences] : chosen.by_lane) {
    const auto same = added.by_lane.find(lane);
    // A session of the added take had this lane, but did not reach the end of this sequence.
    if (same == added.by_lane.end() && (lane <= added.lanes || added.lanes == 0)) continue;
    const auto& more = same != added.by_lane.end() ? same->second : added.others(lane, added.lanes);
    all[lane] = join_lane(sequences, more, std::nullopt);
  }
  for (const auto& [lane, sequences] : added.by_lane) {
    if (!chosen.by_lane.contains(lane)) all[lane] = join_lane(chosen.others(lane, chosen.lanes), sequences, lane);
  }
  chosen.by_lane = std::move(all);
  chosen.lanes = std::max(chosen.lanes, added.lanes);
}

ContinuedTakes::Chosen ContinuedTakes::choose(std::vector<FoundSequence>& sequences) const {
  std::map<std::uint32_t, OfTake> takes;
  for (FoundSequence& one : sequences) {
    OfTake& of_take = takes[one.info.take];
    of_take.take = one.info.take;
    of_take.by_lane[one.info.lane].push_back(std::move(one));
  }
  sequences.clear();
  OfTake chosen;
  for (auto& [number, next] : takes) {
    if (chosen.by_lane.empty()) {
      chosen = std::move(next);
    } else if (has(number) && !chosen.is_ambiguous()) {
      join(chosen, std::move(next), sequences);
    } else {
      // The newest take in which the call succeeded, or else the newest that has it.
      if (next.succeeded() || !chosen.succeeded()) std::swap(chosen, next);
      next.move_to(sequences);
    }
  }
  const Chosen result{chosen.take, chosen.lanes};
  chosen.move_to(sequences);
  const auto order = [](const FoundSequence& one) {
    return std::tuple(-std::int64_t{one.info.take}, one.info.lane, one.is_part);
  };
  std::stable_sort(sequences.begin(), sequences.end(),
                   [&](const FoundSequence& a, const FoundSequence& b) { return order(a) < order(b); });
  return result;
}

}  // namespace tapedeck::replay
