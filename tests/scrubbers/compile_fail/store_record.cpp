// Must not compile: stores a record that was built by hand.
#include "cassettes/write/cassette_writer.h"

void store(tapedeck::cassettes::CassetteWriter& writer, tapedeck::scrubbers::InteractionRecord record) {
  writer.append(std::move(record), {});
}
