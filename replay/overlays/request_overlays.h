#pragma once
// Stores the overlays for one request between the two passes through the chain.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "replay/overlays/overlay_set.h"

namespace tapedeck::replay {

/// A part of a compound whose success a pattern of `after` matches.
struct NotedPart {
  std::size_t place = 0;
  OverlaySet::Candidates candidates;
};

struct RequestOverlays {
  std::shared_ptr<const OverlaySet> set;  ///< keeps the objects alive to which the candidates point
  std::string owner;                      ///< owner of the counters
  OverlaySet::Candidates candidates;
  std::vector<NotedPart> parts;  ///< parts of a compound that is handled as a whole
  OverlayComposition composition;
  std::size_t longest_body = 0;  ///< maximum size of the response
};

}  // namespace tapedeck::replay
