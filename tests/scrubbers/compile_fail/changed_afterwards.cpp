// Must not compile: changes a scrubbed interaction afterwards.
#include "scrubbers/scrubber.h"

void change(tapedeck::scrubbers::ScrubbedInteraction& scrubbed) { scrubbed.record().request.target = "/?_sid=x"; }
