// Must not compile: creates an empty ScrubbedInteraction.
#include "scrubbers/scrubber.h"

tapedeck::scrubbers::ScrubbedInteraction make() { return {}; }
