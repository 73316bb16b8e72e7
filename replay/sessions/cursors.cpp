#include "replay/sessions/cursors.h"

#include <algorithm>
#include <functional>

namespace tapedeck::replay {
namespace {

/// Returns the first position whose segment is above `level`.
std::uint32_t first_above(const Positions& positions, std::int64_t level) {
  std::uint32_t low = 0;
  std::uint32_t high = positions.count;
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (positions.segment(middle) > level) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

std::size_t mixed(std::uint64_t a, std::uint64_t b) {
  return std::hash<std::uint64_t>{}((a ^ (b << 32 | b >> 32)) * 0x9e3779b97f4a7c15ULL);
}

}  // namespace

std::size_t RefHash::operator()(const LaneRef& ref) const {
  return mixed(std::uint64_t{ref.take} << 32 | ref.lane, ref.cassette);
}

std::size_t RefHash::operator()(const SequenceRef& ref) const {
  return mixed(static_cast<std::uint64_t>(ref.sequence), ref.cassette);
}

PositionStore::Window PositionStore::window(const LaneRef& lane, const Positions& positions) const {
  const std::uint32_t last = positions.count - 1;
  if (positions.segment(0) == positions.segment(last)) return {0, positions.count, positions.segment(0)};
  const std::uint32_t writes = std::max(made(lane), positions.made_by_others);
  const std::uint32_t end = first_above(positions, std::max(writes, positions.segment(0)));
  // If nothing was recorded in the current state, the latest earlier state is used.
  const std::uint32_t state = positions.segment(end - 1);
  return {state == 0 ? 0 : first_above(positions, std::int64_t{state} - 1), end, state};
}

std::uint32_t PositionStore::made(const LaneRef& lane) const {
  const auto known = writes_.find(lane);
  return known == writes_.end() ? 0 : known->second;
}

std::optional<PositionStore::Next> PositionStore::next(const SequenceRef& sequence, const LaneRef& lane,
                                                       const Positions& positions, AtEnd at_end) {
  const std::lock_guard lock(mutex_);
  const Window window = PositionStore::window(lane, positions);
  Cursor& cursor = cursors_[sequence];
  if (cursor.next >= positions.count && at_end == AtEnd::miss) return std::nullopt;
  const bool past_end = cursor.next >= positions.count;
  if (at_end == AtEnd::loop && cursor.next >= window.end) cursor.next = window.begin;
  const std::uint32_t position = PositionStore::position(window, cursor);
  const bool repeats = cursor.next > position;
  cursor.has_jumped = cursor.has_jumped || position > cursor.next;
  cursor.next = std::max(cursor.next, position + 1);
  const std::uint32_t writes = std::max({made(lane), positions.made_by_others, positions.made_by_account});
  return Next{position, !cursor.has_jumped && window.segment <= writes, past_end, repeats};
}

std::uint32_t PositionStore::position(const Window& window, const Cursor& cursor) {
  return std::min(std::max(cursor.next, window.begin), window.end - 1);
}

std::uint32_t PositionStore::peek(const SequenceRef& sequence, const LaneRef& lane, const Positions& positions) {
  const std::lock_guard lock(mutex_);
  const auto known = cursors_.find(sequence);
  return position(window(lane, positions), known == cursors_.end() ? Cursor() : known->second);
}

void PositionStore::move_behind(const SequenceRef& sequence, std::uint32_t position) {
  const std::lock_guard lock(mutex_);
  cursors_[sequence].next = position + 1;
}

std::int64_t PositionStore::state(const LaneRef& lane, const Positions& positions) {
  const std::lock_guard lock(mutex_);
  const std::int64_t segment = window(lane, positions).segment;
  const std::uint32_t writes = std::max({made(lane), positions.made_by_others, positions.made_by_account});
  return segment <= writes ? segment : -segment;
}

std::uint32_t PositionStore::next_login(const SequenceRef& first, std::size_t count) {
  const std::lock_guard lock(mutex_);
  std::uint32_t& played = logins_[first];
  const auto last = static_cast<std::uint32_t>(count - 1);
  return played < last ? played++ : last;
}

void PositionStore::wrote(const LaneRef& lane, std::uint32_t writes) {
  const std::lock_guard lock(mutex_);
  std::uint32_t& made = writes_[lane];
  made = std::max(made, writes);
  last_written_[lane.cassette] = lane;
}

std::uint32_t PositionStore::made_in(const LaneRef& lane) {
  const std::lock_guard lock(mutex_);
  return made(lane);
}

std::optional<LaneRef> PositionStore::last_written(std::uint32_t cassette) {
  const std::lock_guard lock(mutex_);
  const auto found = last_written_.find(cassette);
  return found == last_written_.end() ? std::nullopt : std::optional(found->second);
}

void LaneWrites::wrote(const LaneRef& lane, std::uint32_t account, std::uint32_t writes) {
  const std::lock_guard lock(mutex_);
  std::uint32_t& made = made_[lane][account];
  made = std::max(made, writes);
}

std::uint32_t LaneWrites::by_others(const LaneRef& lane, std::uint32_t account) const {
  const std::lock_guard lock(mutex_);
  std::uint32_t most = 0;
  const auto found = made_.find(lane);
  if (found == made_.end()) return most;
  for (const auto& [other, made] : found->second) most = other == account ? most : std::max(most, made);
  return most;
}

void LaneWrites::reset() {
  const std::lock_guard lock(mutex_);
  made_.clear();
}

void PositionStore::reset() {
  const std::lock_guard lock(mutex_);
  cursors_.clear();
  logins_.clear();
  writes_.clear();
  last_written_.clear();
  bound.clear();
}

}  // namespace tapedeck::replay
