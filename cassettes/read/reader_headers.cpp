// Reads which requests have which headers.

#include "base/digest.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

std::vector<SequencePlace> CassetteReader::places(const SequenceInfo& sequence) const {
  return impl_->guarded(long_statement, [&] {
    std::vector<SequencePlace> places;
    Query query(*impl_->database,
                "SELECT e.position, e.segment, e.error_code, i.id, i.request_headers, i.account, i.session, i.ord,"
                " i.status FROM sequence_entry e CROSS JOIN interaction i WHERE e.sequence = ? AND i.id = e.interaction"
                " ORDER BY e.position");
    query.integer(sequence.id);
    while (query.step()) {
      SequencePlace& place = places.emplace_back();
      place.position = query.small(0);
      place.segment = query.small(1);
      place.facts.error_code = error_code_in(query, 2);
      place.interaction = query.number(3);
      place.request_headers = query.number(4);
      place.facts.account = query.small(5);
      place.facts.session = query.small(6);
      place.facts.ord = query.small(7);
      place.succeeded = place.facts.error_code ? *place.facts.error_code == 0 : query.number(8) < 400;
    }
    if (static_cast<std::int64_t>(places.size()) != sequence.rows()) throw Damage("a response is missing");
    return places;
  });
}

/// The index takes one step for each set, however many interactions have it.
void CassetteReader::request_header_sets(const std::function<void(std::int64_t, const http::Headers&)>& visit) const {
  impl_->guarded(long_statement, [&] {
    Query next(*impl_->database,
               "SELECT request_headers FROM interaction WHERE request_headers > ? ORDER BY request_headers LIMIT 1");
    for (std::int64_t id = 0;;) {
      const Rows rows(next);
      if (!next.integer(id).step()) return;
      id = next.number(0);
      visit(id, impl_->rows.headers(id)->headers);
      impl_->deadline.arm(long_statement);
    }
  });
}

void CassetteReader::requests_with(std::int64_t header_set,
                                   const std::function<bool(const RequestWithHeaders&)>& visit) const {
  impl_->guarded(long_statement, [&] {
    Query query(*impl_->database,
                "SELECT i.id, i.take, i.session, i.status, i.started_us, b.sha256, k.text, ifnull(s.name, '')"
                " FROM interaction i CROSS JOIN key k LEFT JOIN scope s ON s.id = k.scope"
                " LEFT JOIN body b ON b.id = i.body"
                " WHERE i.request_headers = ? AND i.completeness = 0 AND k.id = i.key ORDER BY i.id");
    query.integer(header_set);
    while (query.step()) {
      RequestWithHeaders found;
      found.interaction = query.number(0);
      found.take = query.small(1);
      found.session = query.small(2);
      found.response = std::to_string(query.number(3)) + " ";
      found.started_us = query.number(4, -largest_time, largest_time);
      if (!query.is_null(5)) found.response += query.bytes(5);
      found.key = query.string(6);
      found.scope = query.string(7);
      if (!visit(found)) return;
      impl_->deadline.arm(long_statement);
    }
  });
}

std::vector<scrubbers::Redaction> CassetteReader::request_redactions(std::int64_t interaction) const {
  return impl_->guarded(one_statement, [&] {
    using scrubbers::Part;
    std::vector<scrubbers::Redaction> rows = impl_->rows.details().redactions(interaction, Part::request_target);
    std::erase_if(rows, [](const scrubbers::Redaction& row) { return row.part > Part::request_body; });
    return rows;
  });
}

}  // namespace tapedeck::cassettes
