// Must not compile: a ScrubbedInteraction that no Scrubber made.
#include "scrubbers/scrubber.h"

tapedeck::scrubbers::ScrubbedInteraction make(const tapedeck::scrubbers::InteractionRecord& record) {
  return tapedeck::scrubbers::ScrubbedInteraction(record);
}
