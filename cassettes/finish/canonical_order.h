#pragma once
// Which row everything gets in a finished cassette, and which sequences there are (docs/cassette-format.md).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cassettes/file/takes.h"
#include "cassettes/finish/lanes.h"
#include "cassettes/finish/survey.h"

namespace tapedeck::cassettes {

struct KeyRow {
  std::uint32_t scope = 0;  ///< row of `scope`
  std::string text;
  bool is_part = false;  ///< of compounds alone
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
  std::string conditions;
  std::string secrets;  ///< RequestSecrets::Told::identity
  std::uint32_t take = 0, lane = 0;
  bool is_ambiguous = false;  ///< replay cannot tell its requests apart
  std::uint32_t count = 0, passed_over = 0, hidden = 0;
  std::vector<SequenceEntry> entries;  ///< the played ones first
};

/// Decides lanes and sequences, and puts the survey's rows in recorded order: row i becomes interaction i + 1.
class CanonicalOrder {
 public:
  /// Throws Damage.
  CanonicalOrder(Survey& survey, const CanonicalOptions& options);

  /// The survey's numbers of the scopes, by name; the empty name comes first. Places are rows of `scope`.
  [[nodiscard]] const std::vector<std::uint32_t>& scopes() const { return scopes_; }
  [[nodiscard]] std::uint32_t scope_row(std::uint32_t number) const { return scope_rows_[number]; }
  /// By scope and text; the first one is row 1.
  [[nodiscard]] const std::vector<KeyRow>& keys() const { return keys_; }
  /// The row of an interaction's key.
  [[nodiscard]] std::int64_t key_row(const Row& row) const { return own_key_rows_[row.step.key]; }
  /// By kind, key, take, lane, and secrets; the first one is row 1.
  [[nodiscard]] const std::vector<SequenceRow>& sequences() const { return sequences_; }
  /// Of the keys of ambiguous sequences, in their order.
  [[nodiscard]] const std::vector<Conflict>& conflicts() const { return conflicts_; }
  /// Of an interaction in its sequence.
  [[nodiscard]] std::uint32_t position(std::size_t row) const { return positions_[row]; }
  /// With their ends, and whether they are verified.
  [[nodiscard]] const std::vector<TakeRow>& takes() const { return takes_; }
  /// So many takes are not verified.
  [[nodiscard]] std::uint64_t unverified() const { return unverified_; }
  /// By take and row of `scope`.
  [[nodiscard]] const std::map<Survey::Part, Lanes>& lanes() const { return lanes_; }

 private:
  void rank_scopes();
  void decide_lanes();
  void close_takes(const CanonicalOptions& options);
  void rank_keys();
  void make_sequences();
  void make_aside_sequences();
  void find_conflicts();

  Survey& survey_;
  std::vector<std::uint32_t> scopes_, scope_rows_;
  std::vector<KeyRow> keys_;
  std::vector<std::int64_t> own_key_rows_, aside_key_rows_;  ///< by Step::key and by Aside::key
  std::vector<SequenceRow> sequences_;
  std::vector<Conflict> conflicts_;
  std::vector<std::uint32_t> positions_;
  std::vector<TakeRow> takes_;
  std::uint64_t unverified_ = 0;
  std::map<Survey::Part, Lanes> lanes_;
};

}  // namespace tapedeck::cassettes
