// Must not compile: storing a record that was put together by hand.
#include "cassettes/write/cassette_writer.h"

void store(tapedeck::cassettes::CassetteWriter& writer, tapedeck::scrubbers::InteractionRecord record) {
  writer.append(std::move(record), {});
}
