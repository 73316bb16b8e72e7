#pragma once
// Merges several cassettes (`tapedeck merge`). Takes with the same ID are merged; others are numbered by start time.
// The order of the cassettes (sides) does not matter, unless one is preferred.
//
// The base is an earlier cassette from which all sides come. With a base, interactions that one side has removed are
// removed, and interactions that only one side has changed are changed.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cassettes/finish/material.h"

namespace tapedeck::tools {

/// A difference between two sides that needs a decision.
struct MergeConflict {
  enum class Kind {
    interaction,  ///< the same ID with different content, or changed on one side and removed on another
    scope,        ///< recorded in different takes on two sides
  };
  Kind kind = Kind::interaction;
  std::string id;                     ///< 16 hex digits
  std::string key;                    ///< the interaction's key
  std::string scope;                  ///< the scope's name, decoded
  std::size_t first = 0, second = 0;  ///< indexes of the sides
  std::string first_has, second_has;  ///< short descriptions of the content on each side
};

struct MergeOptions {
  std::optional<std::size_t> prefer;  ///< the side that wins conflicts
  /// Called from time to time while contents are compared. If it returns false, the merge throws Stopped.
  std::function<bool(std::uint64_t done, std::uint64_t total)> progress;
};

/// The merged content. The sides and the base must outlive it.
class Merged final : public cassettes::Material {
 public:
  /// Requires two sides or more; `base` may be null.
  Merged(std::vector<cassettes::Material*> sides, cassettes::Material* base, MergeOptions options);

  /// Returns the undecided conflicts. If there are any, do not write the merged cassette.
  [[nodiscard]] const std::vector<MergeConflict>& conflicts() const { return conflicts_; }

  [[nodiscard]] cassettes::MaterialHead head() override { return head_; }
  void each(const std::function<void(const cassettes::MaterialItem&)>& visit) override;
  [[nodiscard]] scrubbers::InteractionRecord record(const cassettes::MaterialItem& item) override;

 private:
  using TakeId = std::string;
  using PartName = std::pair<TakeId, std::string>;
  using ItemName = std::pair<TakeId, cassettes::Digest>;

  struct Side {
    cassettes::Material* material = nullptr;
    cassettes::MaterialHead head;
    std::map<std::uint32_t, TakeId> ids;
    std::map<ItemName, cassettes::MaterialItem> items;
  };
  struct Chosen {
    TakeId take;
    std::size_t side = 0;
    cassettes::MaterialItem item;  ///< the item with its row on that side, and its new take number
  };
  /// The union of the heads of all sides, by names that do not depend on the side.
  struct Tables {
    std::map<TakeId, cassettes::Take> takes;
    std::map<PartName, cassettes::MaterialPart> parts;
    std::map<std::pair<PartName, std::uint32_t>, cassettes::MaterialAccount> accounts;
    std::map<std::pair<PartName, std::uint32_t>, cassettes::MaterialSession> sessions;
    std::map<std::tuple<TakeId, std::int64_t, std::string>, cassettes::Mark> marks;
    std::set<PartName> with_calls;
  };

  static Side read_side(cassettes::Material& material);
  void decide_scopes();
  void decide_scope(const std::string& scope);
  void decide_items();
  void decide_item(const ItemName& name);
  void choose(const ItemName& name, std::size_t side);
  [[nodiscard]] Tables all_tables() const;
  void merge_allowed();
  void merge_heads();
  [[nodiscard]] scrubbers::InteractionRecord content(const Side& side, const ItemName& name);

  std::vector<Side> sides_;
  std::optional<Side> base_;
  MergeOptions options_;
  std::set<PartName> dropped_parts_;  ///< parts of a scope that another side replaces
  std::uint64_t compared_ = 0;

  std::vector<MergeConflict> conflicts_;
  std::vector<Chosen> items_;  ///< sorted by name
  cassettes::MaterialHead head_;
};

}  // namespace tapedeck::tools
