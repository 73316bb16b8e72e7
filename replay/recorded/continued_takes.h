#pragma once
// Takes that continue the takes before them, because `--mode new` replayed those while it recorded. Replay plays both
// as one take (docs/replay.md, "Sequences, lanes, and positions").

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "replay/recorded/found_sequence.h"

namespace tapedeck::replay {

class ContinuedTakes {
 public:
  /// `reader` must outlive it.
  explicit ContinuedTakes(const cassettes::CassetteReader& reader);

  /// Returns true if a take of the cassette continues others.
  [[nodiscard]] bool any() const { return !continuing_.empty(); }
  /// Returns true if this take continues others.
  [[nodiscard]] bool has(std::uint32_t take) const { return continuing_.contains(take); }
  /// Returns the newest take up to this one that does not continue others, or the first take.
  [[nodiscard]] std::uint32_t first_of(std::uint32_t take) const;

  /// The take to replay.
  struct Chosen {
    std::uint32_t take = 0;
    std::uint32_t lanes = 0;  ///< of all takes that were joined; 0: none was
  };
  /// Chooses the take to replay, and appends to its sequences the responses of the takes that continue it. A response
  /// after a write of such a take stays in its own sequence, which a session plays after that write. Requires sequences
  /// of one key that were recorded without a scope, and at least one. Sorts them as LookupResult::sequences.
  [[nodiscard]] Chosen choose(std::vector<FoundSequence>& sequences) const;

 private:
  using Lanes = std::map<std::uint32_t, std::vector<FoundSequence>>;
  struct OfTake;
  /// The parts of a sequence before and after the first write of its lane.
  struct Split;
  [[nodiscard]] Split split(FoundSequence sequence) const;
  void join(OfTake& chosen, OfTake next, std::vector<FoundSequence>& others) const;
  [[nodiscard]] std::vector<FoundSequence> join_lane(const std::vector<FoundSequence>& first,
                                                     const std::vector<FoundSequence>& added,
                                                     std::optional<std::uint32_t> new_lane) const;
  [[nodiscard]] FoundSequence joined(FoundSequence first, const std::vector<const FoundSequence*>& added) const;
  void make_merged(FoundSequence& sequence) const;

  const cassettes::CassetteReader& reader_;
  std::set<std::uint32_t> continuing_;
};

}  // namespace tapedeck::replay
