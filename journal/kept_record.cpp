#include "journal/kept_record.h"

#include "http/message/urlencoded.h"

namespace tapedeck::journal {

using scrubbers::Part;

std::vector<MarkedText::Mark> marks_of(const scrubbers::InteractionRecord& record, Part part) {
  std::vector<MarkedText::Mark> marks;
  for (const scrubbers::Redaction& row : record.redactions) {
    if (row.part == part) marks.push_back({row.offset, row.length, row.secret_class});
  }
  return marks;
}

KeptRequest kept_of(const scrubbers::InteractionRecord& record, std::uint64_t body_bytes) {
  KeptRequest kept;
  if (record.key.is_call) kept.path = http::split_target(record.request.target).path;
  kept.headers = record.request.headers.to_text();
  if (!record.key.is_call) kept.body = record.request.body;
  kept.reason = record.response.reason;
  kept.answer_headers = {record.response.headers.to_text(), marks_of(record, Part::response_headers)};
  kept.answer = {record.response.body, marks_of(record, Part::response_body)};
  kept.body_bytes = body_bytes;
  return kept;
}

}  // namespace tapedeck::journal
