// Must not compile: putting something back into what was scrubbed.
#include "scrubbers/scrubber.h"

void change(tapedeck::scrubbers::ScrubbedInteraction& scrubbed) { scrubbed.record().request.target = "/?_sid=x"; }
