#include "scrubbers/withheld.h"

#include <algorithm>

#include "base/digest.h"
#include "base/text.h"
#include "http/message/message.h"
#include "scrubbers/rules/stored_headers.h"

namespace tapedeck::scrubbers {

void withhold(InteractionRecord& record, std::string_view answer_body, std::string_view reason,
              std::string_view digest_key) {
  record.reason = reason;
  if (record.completeness == api::Completeness::withheld && !record.withheld_digest.empty()) return;
  record.completeness = api::Completeness::withheld;
  record.withheld_digest = base::to_hex(base::hmac_sha256(digest_key, answer_body));
  record.withheld_bytes = answer_body.size();
}

InteractionRecord without_contents(InteractionRecord record, std::string_view reason) {
  withhold(record, record.response.body, reason, base::random_bytes(32));
  record.request.headers = safe_headers(record.request.headers);
  record.request.body.clear();
  record.response.reason = http::reason_phrase(record.response.status);
  record.response.headers = safe_headers(record.response.headers);
  record.response.body.clear();
  record.events.clear();
  std::erase_if(record.redactions, [](const Redaction& row) { return row.part != Part::request_target; });
  return record;
}

InteractionRecord without_request(InteractionRecord record, std::string_view reason) {
  const auto is_name = [](std::string_view text) {
    constexpr std::size_t longest = 64;
    return text.size() <= longest &&
           std::all_of(text.begin(), text.end(), [](char c) { return base::is_alnum(c) || c == '.' || c == '_'; });
  };
  const api::RequestKey key = api::RequestKey::parse(record.key.text);
  const std::string api = key.api.label.empty() ? key.api.rest : key.api.label + "." + key.api.rest;
  const bool is_call = key.is_call && is_name(api) && is_name(key.version) && is_name(key.method);
  constexpr std::size_t longest_method = 7;
  const std::string& method = record.request.method;
  const bool is_usual = method.size() <= longest_method && std::all_of(method.begin(), method.end(), base::is_upper);
  if (!is_usual) record.request.method = "GET";
  record = without_contents(std::move(record), reason);
  record.request.target =
      is_call ? "/webapi/entry.cgi?api=" + api + "&version=" + key.version + "&method=" + key.method : "/";
  record.redactions.clear();
  return record;
}

}  // namespace tapedeck::scrubbers
