#pragma once
// The overlays that concern one request, between the two passes of the chain.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "replay/overlays/overlay_set.h"

namespace tapedeck::replay {

/// A part of a compound whose success some `after` waits for.
struct NotedPart {
  std::size_t place = 0;
  OverlaySet::Candidates candidates;
};

struct RequestOverlays {
  std::shared_ptr<const OverlaySet> set;  ///< keeps the targets of the candidates alive
  std::string owner;                      ///< of the counters
  OverlaySet::Candidates candidates;
  std::vector<NotedPart> parts;  ///< of a compound that is handled as a whole
  OverlayComposition composition;
  std::size_t longest_body = 0;  ///< of the response
};

}  // namespace tapedeck::replay
