// Must compile: does correctly what the other files of this folder do wrong.
#include "scrubbers/scrubber.h"

std::uint32_t session_of(tapedeck::scrubbers::Scrubber& scrubber, const tapedeck::api::Interaction& interaction) {
  const tapedeck::scrubbers::ScrubbedInteraction scrubbed = scrubber.scrub(interaction);
  return scrubbed.record().session;
}
