#pragma once
// Where everything of a cassette stands in its canonical form: scopes by name, keys by hash, rows by key, take and lane
// (docs/cassette-format.md, "Canonical order").

#include <cstdint>
#include <map>
#include <vector>

#include "cassettes/file/takes.h"
#include "cassettes/finish/lanes.h"
#include "cassettes/finish/survey.h"

namespace tapedeck::cassettes {

/// Decides lanes, and puts the survey's rows in order: afterwards Step::key of each is a rank among keys().
class CanonicalOrder {
 public:
  struct Key {
    KeyHash hash;
    std::uint32_t index = 0;    ///< in Survey::keys()
    std::uint32_t in_text = 0;  ///< place in the order of the scopes' names and the texts' bytes
    bool has_holes = false;
  };

  /// Throws Damage.
  CanonicalOrder(Survey& survey, const CanonicalOptions& options);

  /// In the order of their hashes.
  [[nodiscard]] const std::vector<Key>& keys() const { return keys_; }
  /// With their ends, and whether they are verified.
  [[nodiscard]] const std::vector<TakeRow>& takes() const { return takes_; }
  /// So many takes are not verified.
  [[nodiscard]] std::uint64_t unverified() const { return unverified_; }
  /// The survey's numbers of the scopes, by name; the empty name comes first.
  [[nodiscard]] const std::vector<std::uint32_t>& scopes() const { return scopes_; }
  /// The place there of the survey's number, which is the row of `scope`. The empty name has none: 0.
  [[nodiscard]] std::uint32_t scope_row(std::uint32_t number) const { return scope_rows_[number]; }
  /// By take and row of `scope`.
  [[nodiscard]] const std::map<Survey::Part, Lanes>& lanes() const { return lanes_; }

 private:
  void rank_scopes();
  void rank_keys();
  void decide_lanes();
  void close_takes(const CanonicalOptions& options);
  void sort();

  Survey& survey_;
  std::vector<Key> keys_;
  std::vector<TakeRow> takes_;
  std::uint64_t unverified_ = 0;
  std::vector<std::uint32_t> scopes_, scope_rows_;
  std::map<Survey::Part, Lanes> lanes_;
};

}  // namespace tapedeck::cassettes
