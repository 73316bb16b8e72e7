#include "scrubbers/withheld.h"

#include "base/digest.h"
#include "http/message/message.h"
#include "scrubbers/rules/stored_headers.h"

namespace tapedeck::scrubbers {

InteractionRecord without_contents(InteractionRecord record, std::string_view reason) {
  if (record.completeness != api::Completeness::withheld || record.withheld_digest.empty()) {
    record.withheld_digest = base::to_hex(base::hmac_sha256(base::random_bytes(32), record.response.body));
    record.withheld_bytes = record.response.body.size();
  }
  record.completeness = api::Completeness::withheld;
  record.reason = reason;
  record.request.headers = safe_headers(record.request.headers);
  record.request.body.clear();
  record.response.reason = http::reason_phrase(record.response.status);
  record.response.headers = safe_headers(record.response.headers);
  record.response.body.clear();
  record.events.clear();
  std::erase_if(record.redactions, [](const Redaction& row) { return row.part != Part::request_target; });
  return record;
}

}  // namespace tapedeck::scrubbers
