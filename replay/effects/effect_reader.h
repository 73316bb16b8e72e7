#pragma once
// Reads an effect from an `[[effect]]` block or a posted object.

#include <string>
#include <string_view>
#include <vector>

#include "replay/effects/effect.h"
#include "replay/rules/overlay_text.h"

namespace tapedeck::replay {

/// Reads the blocks of one file. Errors are OverlayErrors with the line of the member.
class EffectReader : private MemberReader {
 public:
  explicit EffectReader(std::string file) : MemberReader(std::move(file)) {}
  /// Returns an effect without an ID.
  [[nodiscard]] Effect read(const OverlayBlock& block);

 private:
  void read_member(const OverlayMember& member, Effect& effect) const;
  void read_changes(const OverlayMember& member, Effect& effect) const;
  [[nodiscard]] EffectChange read_change(const OverlayMember& list, std::string_view object) const;
  void read_change_member(const OverlayMember& member, EffectChange& change) const;
  void read_merge(const OverlayMember& member, EffectChange& change) const;
  [[nodiscard]] EffectChange::Insert read_insert(const OverlayMember& member) const;
  [[nodiscard]] EffectChange::Remove read_remove(const OverlayMember& member) const;
  [[nodiscard]] CallPattern read_target(const OverlayMember& member) const;
  [[nodiscard]] NamedTexts named_texts(const OverlayMember& member) const;
  [[nodiscard]] api::JsonPointer pointer(const OverlayMember& member) const;
};

/// Assigns IDs among the effects of `set`.
[[nodiscard]] std::vector<EffectPtr> number_effects(std::vector<Effect> effects, std::string_view set);

}  // namespace tapedeck::replay
