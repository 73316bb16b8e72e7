// Must not compile: what passed, taken for what may be stored.
#include "scrubbers/scrubber.h"

tapedeck::scrubbers::ScrubbedInteraction make(const tapedeck::api::Interaction& interaction) { return interaction; }
