#pragma once
// Assigns the rows of a finished cassette, and determines its sequences (docs/cassette-format.md).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cassettes/finish/lanes.h"
#include "cassettes/finish/survey.h"

namespace tapedeck::cassettes {

struct KeyRow {
  std::uint32_t scope = 0;  ///< row of `scope`
  std::string text;
  bool is_part = false;  ///< true for parts of compounds
  bool has_holes = false;
};

struct SequenceEntry {
  std::int64_t interaction = 0;
  std::uint32_t place = 0, segment = 0, divides = 0;
  std::optional<int> error_code;
  std::uint32_t session = 0;
  bool succeeded = false;
  std::uint32_t secrets = 0;
  bool reads = false;
};

struct SequenceRow {
  SequenceKind kind = SequenceKind::whole;
  std::int64_t key = 0;
  std::string secrets;  ///< RequestSecrets::Result::identity
  std::uint32_t take = 0, lane = 0, account = 0;
  bool is_ambiguous = false;  ///< true if replay cannot distinguish its requests
  std::uint32_t count = 0, passed_over = 0, hidden = 0;
  std::vector<SequenceEntry> entries;  ///< replayed entries come first
};

/// Determines lanes and sequences, and sorts the survey's rows in recorded order, so that row i becomes interaction i +
/// 1.
class CanonicalOrder {
 public:
  /// Throws Damage.
  CanonicalOrder(Survey& survey, const CanonicalOptions& options);

  /// Returns the row of an interaction's key.
  [[nodiscard]] std::int64_t key_row(const Row& row) const { return own_key_rows_[row.step.key]; }

  std::vector<std::uint32_t> scopes;      ///< the survey's numbers of the scopes, sorted by name; index: row of `scope`
  std::vector<std::uint32_t> scope_rows;  ///< rows of `scope`; index: the survey's number
  std::vector<KeyRow> keys;               ///< sorted by scope and text; the first one is row 1
  std::vector<SequenceRow>
      sequences;                    ///< sorted by kind, key, take, lane, account, and secrets; the first one is row 1
  std::vector<Conflict> conflicts;  ///< keys of ambiguous sequences, sorted
  std::vector<std::uint32_t> positions;  ///< of the interactions in their sequences
  std::vector<Take> takes;               ///< with their ends, and whether they are verified
  std::uint64_t unverified = 0;          ///< number of takes that are not verified
  std::map<Survey::Part, Lanes> lanes;   ///< of each take and row of `scope`

 private:
  void rank_scopes();
  void decide_lanes();
  void close_takes(const CanonicalOptions& options);
  void rank_keys();
  void make_sequences();
  void make_aside_sequences();
  void find_conflicts();

  Survey& survey_;
  std::vector<std::int64_t> own_key_rows_, aside_key_rows_;  ///< index: Step::key or Aside::key
};

}  // namespace tapedeck::cassettes
