#pragma once
// What overlays have to do with one request on its way: between the chain's two looks at it.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "replay/overlays/overlay_set.h"

namespace tapedeck::replay {

/// One compound part whose success some `after` waits for.
struct NotedPart {
  std::size_t place = 0;
  OverlaySet::Candidates candidates;
};

struct RequestOverlays {
  std::shared_ptr<const OverlaySet> set;  ///< keeps what the candidates point to
  std::string owner;                      ///< whose counts
  OverlaySet::Candidates candidates;
  std::vector<NotedPart> parts;  ///< of a compound that is answered whole
  OverlayComposition composition;
  std::size_t longest_body = 0;  ///< of the response
};

}  // namespace tapedeck::replay
