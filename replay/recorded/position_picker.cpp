#include "replay/recorded/position_picker.h"

#include <algorithm>

#include "replay/recorded/account_search.h"

namespace tapedeck::replay {
namespace {

/// Returns the sequences in the take of the first one.
Sequences first_take(Sequences all) {
  const auto end = std::find_if(all.begin(), all.end(), [&](const FoundSequence& sequence) {
    return sequence.info.take != all.front().info.take;
  });
  return all.first(static_cast<std::size_t>(end - all.begin()));
}

/// Like in_lane(), but prefers other sequences to one that reports the end of a session, because this session is still
/// valid.
FoundSequence& for_client(Sequences take, const RecordedSessions::Place& place, bool has_id) {
  FoundSequence& one = in_lane(take, place);
  if (!has_id || !one.only_ends_sessions()) return one;
  const auto other =
      std::find_if(take.begin(), take.end(), [](const FoundSequence& it) { return !it.only_ends_sessions(); });
  return other == take.end() ? one : *other;
}

bool is_socket_io_poll(const api::RequestKey& key) {
  return !key.is_call && key.method == "GET" && key.text.find("/socket.io/?") != std::string::npos &&
         key.text.find("sid=") != std::string::npos;
}

/// Returns how long a request beyond the last recording waits, like the longest recorded one: those of the desktop's
/// polls, and of calls of which each recording took long. In socket.io, heartbeats must come in time. 0: not at all.
std::chrono::microseconds wait_of(const api::RequestKey& key, SequenceLookup& lookup, FoundSequence& sequence) {
  constexpr std::chrono::seconds long_wait{2}, shortest_poll{1};
  constexpr std::uint32_t most = 1'000;
  if (is_socket_io_poll(key)) return shortest_poll;
  const bool polls = key.is_call && key.api.rest == "Entry.Request.Polling";
  std::chrono::microseconds longest = polls ? shortest_poll : std::chrono::seconds(0);
  for (std::uint32_t i = 0; i < std::min(sequence.info.count, most); ++i) {
    const std::chrono::microseconds waited = lookup.playable(sequence, i)->waited();
    if (!polls && waited < long_wait) return {};
    longest = std::max(longest, waited);
  }
  return longest;
}

}  // namespace

LaneRef lane_of(const SequenceLookup& lookup, const FoundSequence& sequence) {
  const cassettes::SequenceInfo& first = sequence.merged ? sequence.merged->members.front() : sequence.info;
  return {lookup.cassette_id(), first.take, first.lane};
}

LaneRef lane_of(const SequenceLookup& lookup, const FoundSequence& sequence, std::uint32_t position) {
  const cassettes::SequenceInfo& recorded = sequence.recorded(position).sequence;
  return {lookup.cassette_id(), recorded.take, recorded.lane};
}

Sequences of_take(LookupResult& found) {
  Sequences rest(found.sequences);
  while (rest.front().info.take != found.take) rest = rest.subspan(first_take(rest).size());
  return first_take(rest);
}

FoundSequence& in_lane(Sequences all, const RecordedSessions::Place& place) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const FoundSequence& one) {
    return one.info.lane == place.lane && one.info.account == place.account;
  });
  if (found != all.end()) return *found;
  const auto same_account = std::find_if(all.begin(), all.end(), [&](const FoundSequence& one) {
    return place.account != 0 && one.info.account == place.account;
  });
  return same_account != all.end() ? *same_account : all.front();
}

std::optional<std::uint32_t> first_success(SequenceLookup& lookup, const FoundSequence& sequence) {
  constexpr std::uint32_t most = 64;
  for (std::uint32_t position = 0; position < std::min(sequence.info.count, most); ++position) {
    if (lookup.playable(sequence, position)->error_code() == 0) return position;
  }
  return std::nullopt;
}

FoundSequence& PositionPicker::sequence(const PlayRequest& request, SequenceLookup& lookup, LookupResult& found) const {
  if (found.sequences.size() == 1) return found.sequences.front();
  FoundSequence* nearest = &in_turn(request, lookup, found);
  for (FoundSequence* other = nearest + 1; other <= &found.sequences.back(); ++other) {
    const bool same_lane = nearest->info.take == other->info.take && nearest->info.lane == other->info.lane &&
                           nearest->info.account == other->info.account;
    if (!same_lane) break;
    if (state(request, lookup, *other) > state(request, lookup, *nearest)) nearest = other;
  }
  return *nearest;
}

/// Returns the first sequence of a take and lane.
FoundSequence& PositionPicker::in_turn(const PlayRequest& request, SequenceLookup& lookup, LookupResult& found) const {
  const Client client = Client::of(request.session);
  const bool has_id = client.kind != Client::Kind::no_session;
  const auto place = [&](std::uint32_t take) { return place_of(client, request.sessions, lookup, found, take); };
  if (found.scope) return in_lane(found.sequences, place(found.take));
  const bool one_take = found.sequences.front().info.take == found.sequences.back().info.take;
  for (Sequences rest(found.sequences); !one_take && !rest.empty();) {
    const Sequences take = first_take(rest);
    rest = rest.subspan(take.size());
    FoundSequence& candidate = for_client(take, place(take.front().info.take), has_id);
    if (has_id && candidate.only_ends_sessions()) continue;
    const auto written = positions_for(request, candidate.info).last_written(lookup.cassette_id());
    if (written && written->take == candidate.info.take) return candidate;
  }
  const Sequences take = of_take(found);
  return for_client(take, place(found.take), has_id);
}

std::optional<PositionStore::Next> PositionPicker::next(const PlayRequest& request, SequenceLookup& lookup,
                                                        FoundSequence& sequence, bool is_in_scope) const {
  if (request.parsed.kind() == CallKind::info && !is_in_scope) {
    if (const auto position = first_success(lookup, sequence)) return PositionStore::Next{*position};
  }
  AtEnd at_end = options_.repeats_at_end ? AtEnd::stick : lookup.at_end(request.key).value_or(options_.at_end);
  const bool is_single = sequence.info.count == 1 && at_end != AtEnd::miss;
  if (is_single && (at_end == AtEnd::loop || wait_of(request.key, lookup, sequence).count() == 0)) {
    return PositionStore::Next{};
  }
  const bool is_write = at_end == AtEnd::loop && lookup.playable(sequence, 0)->divides() > 0;
  if (is_write) at_end = AtEnd::stick;
  const Positions positions = positions_of(request, lookup, sequence);
  auto next = positions_for(request, sequence.info)
                  .next({lookup.cassette_id(), sequence.info.id}, lane_of(lookup, sequence), positions, at_end);
  if (!next) return next;
  if (next->repeats) next->wait = wait_of(request.key, lookup, sequence);
  // A client sends its messages and polls at the same time.
  if (request.connection != nullptr) next->in_order = true;
  if (!next->in_order) next->in_order = !lookup.has_different_answers(sequence);
  if (next->past_end) next->past_end = lookup.has_different_answers(sequence);
  return next;
}

std::uint32_t PositionPicker::peek(const PlayRequest& request, SequenceLookup& lookup, FoundSequence& sequence) const {
  const Positions positions = positions_of(request, lookup, sequence);
  return positions_for(request, sequence.info)
      .peek({lookup.cassette_id(), sequence.info.id}, lane_of(lookup, sequence), positions);
}

std::int64_t PositionPicker::state(const PlayRequest& request, SequenceLookup& lookup, FoundSequence& sequence) const {
  const Positions positions = positions_of(request, lookup, sequence);
  return positions_for(request, sequence.info).state(lane_of(lookup, sequence), positions);
}

void PositionPicker::moved(const PlayRequest& request, const SequenceLookup& lookup, const LookupResult& found,
                           const FoundSequence& sequence, std::uint32_t position) const {
  const FoundSequence::Recorded recorded = sequence.recorded(position);
  for (const FoundSequence& merged : found.around) {
    const bool is_of_lane = merged.info.lane == sequence.info.lane && merged.is_part == sequence.is_part;
    if (!is_of_lane || !merged.merged) continue;
    const auto& places = merged.merged->places;
    const auto place = std::find_if(places.begin(), places.end(), [&](const FoundSequence::Merged::Place& one) {
      return merged.merged->members[one.member].id == recorded.sequence.id && one.position == recorded.position;
    });
    if (place == places.end()) continue;
    positions_for(request, merged.info)
        .move_behind({lookup.cassette_id(), merged.info.id}, static_cast<std::uint32_t>(place - places.begin()));
  }
}

/// Reports the write to every PositionStore whose positions this request could have moved, because the sequences of a
/// session and of its account are in the same lane.
void PositionPicker::played(const PlayRequest& request, const SequenceLookup& lookup, const FoundSequence& sequence,
                            std::uint32_t position, const Playable& playable) const {
  if (playable.divides() == 0) return;
  const LaneRef lane = lane_of(lookup, sequence, position);
  const std::uint32_t writes = playable.segment() + playable.divides();
  if (request.connection != nullptr) {
    request.connection->wrote(lane, writes);
  } else if (request.run_positions != nullptr) {
    request.run_positions->wrote(lane, writes);
  } else if (options_.cursors == Cursors::global) {
    sessions_.global().wrote(lane, writes);
  } else {
    request.session.cursors().wrote(lane, writes);
    request.session.account().cursors.wrote(lane, writes);
    request.sessions.lane_writes().wrote(lane, sequence.recorded(position).sequence.account, writes);
  }
}

/// The result refers to its arguments.
Positions PositionPicker::positions_of(const PlayRequest& request, SequenceLookup& lookup,
                                       FoundSequence& sequence) const {
  Positions positions{sequence.info.count, [&](std::uint32_t position) { return lookup.segment(sequence, position); }};
  const bool is_shared =
      request.run_positions != nullptr || request.connection != nullptr || options_.cursors == Cursors::global;
  if (is_shared || positions.segment(positions.count - 1) == 0) return positions;
  const LaneRef lane = lane_of(lookup, sequence);
  positions.made_by_account = request.session.account().cursors.made_in(lane);
  positions.made_by_others = request.sessions.lane_writes().by_others(lane, sequence.info.account);
  return positions;
}

PositionStore& PositionPicker::positions_for(const PlayRequest& request,
                                             const cassettes::SequenceInfo& sequence) const {
  if (request.connection != nullptr) return *request.connection;
  if (request.run_positions != nullptr) return *request.run_positions;
  switch (options_.cursors) {
    case Cursors::session:
      return request.session.cursors();
    case Cursors::account:
      return request.session.account().cursors;
    case Cursors::global:
      return sessions_.global();
    case Cursors::automatic:
      break;
  }
  return sequence.many_sessions ? request.session.account().cursors : request.session.cursors();
}

}  // namespace tapedeck::replay
