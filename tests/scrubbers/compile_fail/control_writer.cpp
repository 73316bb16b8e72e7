// Must compile: stores the result of a Scrubber.
#include "cassettes/write/cassette_writer.h"

void store(tapedeck::cassettes::CassetteWriter& writer, tapedeck::scrubbers::ScrubbedInteraction scrubbed) {
  writer.append(std::move(scrubbed), {});
}
