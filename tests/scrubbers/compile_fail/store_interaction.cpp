// Must not compile: stores an Interaction with its secrets.
#include "api/interaction.h"
#include "cassettes/write/cassette_writer.h"

void store(tapedeck::cassettes::CassetteWriter& writer, tapedeck::api::Interaction interaction) {
  writer.append(std::move(interaction), {});
}
