#pragma once
// The writes of one owner whose effects later responses show.

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/call.h"
#include "replay/effects/effect.h"
#include "replay/sessions/cursors.h"

namespace tapedeck::replay {

/// What marks may take from a write.
struct WriteValues {
  std::string session_id, session_token, session_device_id;
  std::uint64_t count = 0;  ///< which write with this effect it is, from 1
  /// As they were sent; without those that no key has, and without those that a scrub rule names.
  std::vector<std::pair<std::string, std::string>> params;

  [[nodiscard]] const std::string* param(std::string_view name) const;
  [[nodiscard]] std::size_t bytes() const;
};
using WriteValuesPtr = std::shared_ptr<const WriteValues>;

/// Where a recorded write is in its lane.
struct RecordedWrite {
  LaneRef lane;
  std::uint32_t segment = 0;  ///< of the responses that were recorded after it
};

/// A change that waits for its reads.
struct PendingChange {
  /// Parameters of a read with their values as normalized() has them; nothing: any.
  using ReadParams = std::vector<std::pair<std::string, std::optional<std::string>>>;

  PendingChange(EffectPtr of, std::size_t number, WriteValuesPtr with, std::optional<RecordedWrite> where_recorded);

  EffectPtr effect;
  std::size_t change;  ///< in effect->changes
  WriteValuesPtr values;
  std::optional<RecordedWrite> recorded;  ///< nothing for a write that was not recorded
  std::vector<ReadParams> where;              ///< one of these must be met; with one for each element of list parameters

  [[nodiscard]] const EffectChange& what() const { return effect->changes[change]; }
  [[nodiscard]] std::size_t bytes() const;
  /// Whether it is meant for responses to a read that fits its pattern: by `where`, and equal parameters.
  [[nodiscard]] bool is_for(const api::Call& read, const ReadParams& params) const;
};

/// One owner's; the caller holds the owner's lock.
class EffectState {
 public:
  static constexpr std::size_t most_changes = 1'000;
  static constexpr std::size_t most_bytes = 1u << 20;

  /// The changes of one write. Returns true when the oldest ones had to go for the first time.
  bool add(std::vector<PendingChange> changes);
  /// Those for a read, in the order of the writes: from the last recorded write on that has one.
  [[nodiscard]] std::vector<PendingChange> for_read(const api::Call& read) const;
  /// How often this effect has followed a write, with this one.
  [[nodiscard]] std::uint64_t next_count(const Effect& effect);
  /// Forgets the changes of effects that are not among these.
  void keep_only(const std::vector<EffectPtr>& effects);
  [[nodiscard]] const std::deque<PendingChange>& changes() const { return changes_; }

 private:
  std::deque<PendingChange> changes_;
  std::size_t bytes_ = 0;
  bool has_warned_ = false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> counts_;  ///< by the effect's id
};

}  // namespace tapedeck::replay
