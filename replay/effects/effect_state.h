#pragma once
// Stores the writes of one owner (a session, an account, or a scope's run) until later responses show their effects.

#include <cstdint>
#include <deque>
#include <functional>
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

/// The values of a write that replace the marks of an effect, such as {{param.name}}.
struct WriteValues : MarkValues {
  /// The parameters as the client sent them, without parameters that keys leave out and parameters that a scrub rule
  /// names.
  std::vector<std::pair<std::string, std::string>> params;

  [[nodiscard]] const std::string* param(std::string_view name) const;
  [[nodiscard]] std::size_t bytes() const;
};
using WriteValuesPtr = std::shared_ptr<const WriteValues>;

/// The place of a recorded write in its lane.
struct RecordedWrite {
  LaneRef lane;
  std::uint32_t segment = 0;  ///< the segment of responses that were recorded after it
};

/// A change that applies to responses to later reads.
struct PendingChange {
  /// Parameters of a read, with results of normalized() as values; an empty value matches any.
  using ReadParams = std::vector<std::pair<std::string, std::optional<std::string>>>;

  PendingChange(EffectPtr of, std::size_t number, WriteValuesPtr with, std::optional<RecordedWrite> where_recorded);

  EffectPtr effect;
  std::size_t change;  ///< index in effect->changes
  WriteValuesPtr values;
  std::optional<RecordedWrite> recorded;  ///< empty for a write that was not recorded
  std::vector<ReadParams> where;          ///< one of these must match; there is one for each element of a list

  [[nodiscard]] const EffectChange& what() const { return effect->changes[change]; }
  [[nodiscard]] std::size_t bytes() const;
  /// Returns true if the change applies to responses to `read`, whose call must match its pattern. This requires that
  /// `where` holds and that shared parameters are equal.
  [[nodiscard]] bool is_for(const api::Call& read, const ReadParams& params) const;
};

/// The state of one owner. The caller must lock the owner.
class EffectState {
 public:
  static constexpr std::size_t most_changes = 1'000;
  static constexpr std::size_t most_bytes = 1u << 20;

  /// Adds the changes of one write. Returns true if old changes were dropped for the first time.
  bool add(std::vector<PendingChange> changes);
  /// Returns the changes for a read in the order of the writes. Leaves out an earlier change of an element that a later
  /// recorded write changed, because responses that were recorded after that write show the element.
  [[nodiscard]] std::vector<PendingChange> for_read(const api::Call& read) const;
  /// Counts a write with this effect. Returns the number of such writes.
  [[nodiscard]] std::uint64_t next_count(const Effect& effect);
  /// Drops the changes of all other effects.
  void keep_only(const std::vector<EffectPtr>& effects);
  [[nodiscard]] const std::deque<PendingChange>& changes() const { return changes_; }

 private:
  std::deque<PendingChange> changes_;
  std::size_t bytes_ = 0;
  bool has_warned_ = false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> counts_;  ///< key: the effect's ID
};

/// The effects that concern one request.
struct RequestEffects {
  /// A part of a compound with effects.
  struct Part {
    std::size_t place = 0;
    std::vector<EffectPtr> following;
  };
  std::string owner;                   ///< owner of the changes (overlay_owner)
  std::vector<EffectPtr> following;    ///< the effects of this call if it succeeds
  std::vector<WriteValuesPtr> values;  ///< one for each effect in `following`, created when needed
  std::vector<PendingChange> pending;  ///< the changes of earlier writes to this call's response
  std::vector<Part> parts;             ///< parts of a compound
};

/// Called with the location and the reason if a change cannot be applied there.
using ChangeWarn = std::function<void(const std::string& path, const std::string& reason)>;

/// Returns the body of a response to `read` after the change. Requires change.is_for(read). Throws api::TooLong instead
/// of creating a result longer than `most`.
[[nodiscard]] std::string changed_body(std::string body, const PendingChange& change, const api::Call& read,
                                       std::size_t most, const ChangeWarn& warn);

}  // namespace tapedeck::replay
