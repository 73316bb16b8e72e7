#pragma once
// Reads an effect from an `[[effect]]` block or a posted object.

#include <string>
#include <string_view>
#include <vector>

#include "replay/effects/effect.h"
#include "replay/language/overlay_text.h"

namespace tapedeck::replay {

/// Returns an effect without an ID. `file` is the name in messages. Throws OverlayError with the line of a member.
[[nodiscard]] Effect read_effect(const OverlayBlock& block, const std::string& file);

/// Assigns IDs among the effects of `set`.
[[nodiscard]] std::vector<EffectPtr> number_effects(std::vector<Effect> effects, std::string_view set);

}  // namespace tapedeck::replay
