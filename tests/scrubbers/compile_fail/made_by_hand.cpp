// Must not compile: creates a ScrubbedInteraction without a Scrubber.
#include "scrubbers/scrubber.h"

tapedeck::scrubbers::ScrubbedInteraction make(const tapedeck::scrubbers::InteractionRecord& record) {
  return tapedeck::scrubbers::ScrubbedInteraction(record);
}
