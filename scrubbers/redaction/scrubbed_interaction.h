#pragma once
// Defines interactions that may be stored.
//
// Invariant 3: only Scrubber makes a ScrubbedInteraction, and only a ScrubbedInteraction is stored, so unscrubbed data
// cannot be stored. Tested by tests/scrubbers/compile_fail.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "api/interaction.h"
#include "api/request_key.h"
#include "api/write_guard.h"
#include "http/message/message.h"
#include "scrubbers/redaction/account_checks.h"
#include "scrubbers/redaction/redaction.h"

namespace tapedeck::scrubbers {

/// An interaction without secrets, as a cassette contains it. Plain data that can also be built in other ways.
struct InteractionRecord {
  http::Request request;              ///< target without the base path; decoded body; headers of the allow-list
  http::Response response;            ///< decoded body (no Content-Encoding), without framing headers
  std::vector<Redaction> redactions;  ///< sorted by part and offset
  api::Completeness completeness = api::Completeness::complete;
  std::string reason;           ///< why it is not complete; names a rule or an error, never a value
  std::string withheld_digest;  ///< for a withheld body: a hash in hex, under a discarded key
  std::uint64_t withheld_bytes = 0;
  api::RequestKey key;
  api::Effect effect = api::Effect::read;
  std::uint32_t session = 0;  ///< number within the scope and take, from 1; 0: the request has no session ID
  std::uint32_t account = 0;  ///< for a login: the account within the scope and take, from 1; otherwise 0
  /// For the first login of an account in a take: the check values of all accounts so far. Never with private data.
  std::optional<AccountChecks> account_checks;
  bool ended_by_client = false;    ///< a stream that its client closed
  std::string scope;               ///< empty: none; a redacted place is 0x01, the class's word, 0x02
  std::uint32_t run = 1;           ///< the run of the scope; only the last one is kept
  std::int64_t started_us = 0;     ///< microseconds since the Unix epoch
  std::int64_t first_byte_us = 0;  ///< 0: unknown
  std::int64_t ended_us = 0;
  std::vector<api::StreamEvent> events;  ///< events whose ends are positions in this record's body
};

/// Appends the body of a response to that of another one, with its redactions.
void append_body(InteractionRecord& to, const InteractionRecord& from);

/// Returns the redacted places of its request for keys.
[[nodiscard]] std::vector<api::Hole> holes_of(const InteractionRecord& record);
/// Returns the key of the record's request with these redacted places. If the response is a part of a body (206), or
/// refuses the range (416), the range is part of the key.
[[nodiscard]] api::RequestKey key_of(const InteractionRecord& record, const api::KeyPolicy& policy,
                                     std::string_view base_path, const std::vector<api::Hole>& holes);

/// An InteractionRecord that the Scrubber has produced (invariant 3).
class ScrubbedInteraction {
 public:
  [[nodiscard]] const InteractionRecord& record() const { return record_; }

 private:
  friend class Scrubber;
  explicit ScrubbedInteraction(InteractionRecord&& record) : record_(std::move(record)) {}
  InteractionRecord record_;
};

}  // namespace tapedeck::scrubbers
