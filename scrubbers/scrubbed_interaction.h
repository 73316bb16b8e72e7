#pragma once
// What may be stored.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/interaction.h"
#include "api/request_key.h"
#include "api/write_guard.h"
#include "http/message/message.h"
#include "scrubbers/redaction.h"

namespace tapedeck::scrubbers {

/// An interaction with its secrets replaced, as a cassette holds it. Plain data: having one proves nothing.
struct InteractionRecord {
  http::Request request;              ///< target without the base path; body decoded; headers by the allow-list
  http::Response response;            ///< body decoded (no Content-Encoding line), framing lines taken out
  std::vector<Redaction> redactions;  ///< sorted by part and offset
  api::Completeness completeness = api::Completeness::complete;
  std::string reason;           ///< why not complete; names a rule or a fault, never a value
  std::string withheld_digest;  ///< of a withheld body: hex of a hash under a key that is thrown away
  std::uint64_t withheld_bytes = 0;
  api::RequestKey key;
  api::Effect effect = api::Effect::read;
  std::uint32_t session = 0;       ///< number within the scope and take, from 1; 0: the request carried no session id
  std::uint32_t account = 0;       ///< of a login: which account of the scope and take, from 1; 0 otherwise
  bool ended_by_client = false;    ///< a stream that its client ended
  std::string scope;               ///< empty: none; a redacted place in it stands as 0x01, the class's word, 0x02
  std::uint32_t run = 1;           ///< of that scope; only the last one is kept
  std::int64_t started_us = 0;     ///< microseconds since the Unix epoch
  std::int64_t first_byte_us = 0;  ///< 0: not known
  std::int64_t ended_us = 0;
  std::vector<api::StreamEvent> events;  ///< ends count in this record's body
};

/// The redacted places of its request, as keys count them.
[[nodiscard]] std::vector<api::Hole> holes_of(const InteractionRecord& record);

/// An InteractionRecord that went through the Scrubber. Only Scrubber makes one, and CassetteWriter::append takes
/// nothing else: unscrubbed data cannot be stored (tests/scrubbers/compile_fail holds it).
class ScrubbedInteraction {
 public:
  [[nodiscard]] const InteractionRecord& record() const { return record_; }

 private:
  friend class Scrubber;
  explicit ScrubbedInteraction(InteractionRecord&& record) : record_(std::move(record)) {}
  InteractionRecord record_;
};

}  // namespace tapedeck::scrubbers
