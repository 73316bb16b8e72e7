#pragma once
// What effects have to do with one request on its way.

#include <cstddef>
#include <string>
#include <vector>

#include "replay/effects/effect_state.h"

namespace tapedeck::replay {

struct RequestEffects {
  /// A part of a compound that has effects.
  struct Part {
    std::size_t place = 0;
    std::vector<EffectPtr> following;
  };
  std::string owner;                   ///< whose changes (overlay_owner)
  std::vector<EffectPtr> following;    ///< the effects of this call if it succeeds
  std::vector<WriteValuesPtr> values;  ///< one for each of them, once they are needed
  std::vector<PendingChange> pending;  ///< the changes of earlier writes to this call's response
  std::vector<Part> parts;             ///< of a compound
};

}  // namespace tapedeck::replay
