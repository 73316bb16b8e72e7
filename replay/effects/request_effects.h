#pragma once
// Stores the effects that concern one request.

#include <cstddef>
#include <string>
#include <vector>

#include "replay/effects/effect_state.h"

namespace tapedeck::replay {

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

}  // namespace tapedeck::replay
