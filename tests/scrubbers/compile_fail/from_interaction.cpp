// Must not compile: converts an Interaction to one that may be stored.
#include "scrubbers/scrubber.h"

tapedeck::scrubbers::ScrubbedInteraction make(const tapedeck::api::Interaction& interaction) { return interaction; }
