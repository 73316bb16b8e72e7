// Answers that stand aside of their interactions' keys (docs/cassette-format.md, aside).

#include <algorithm>

#include "api/envelope.h"
#include "api/json_spans.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

/// `text` with `piece` of the body in its place, and the rows that lie in it carried along.
void put_in(PlayedAnswer& answer, std::string_view before, std::string_view piece, std::string_view behind) {
  const auto begin = static_cast<std::size_t>(piece.data() - answer.body.data());
  std::string body;
  body.append(before).append(piece).append(behind);
  std::erase_if(answer.redactions, [&](const scrubbers::Redaction& row) {
    return row.part == scrubbers::Part::response_body &&
           (row.offset < begin || row.offset + row.length > begin + piece.size());
  });
  for (scrubbers::Redaction& row : answer.redactions) {
    if (row.part == scrubbers::Part::response_body) row.offset += before.size() - begin;
  }
  answer.body = std::move(body);
}

/// Makes the answer to a compound what its part alone would have got. `place` counts from 1.
void take_part(PlayedAnswer& answer, std::uint32_t place) {
  const auto parts = api::compound_answers(answer.body);
  if (!parts || place > parts->size()) throw Damage("a part of a compound is not there");
  const std::string_view part = (*parts)[place - 1];
  const auto verdict = api::verdict(part);
  if (!verdict) throw Damage("a part of a compound is no answer");
  answer.error_code = verdict->success ? 0 : verdict->error_code;
  const auto data = api::json_member(part, "data"), error = api::json_member(part, "error");
  if (verdict->success) {
    put_in(answer, data ? R"({"data":)" : "{", data.value_or(part.substr(0, 0)),
           data ? R"(,"success":true})" : R"("success":true})");
  } else {
    put_in(answer, error ? R"({"error":)" : R"({"error":{"code":100})", error.value_or(part.substr(0, 0)),
           R"(,"success":false})");
  }
}

}  // namespace

std::vector<SequenceInfo> CassetteReader::asides(std::string_view aside_key, std::string_view scope) const {
  return impl_->guarded(one_statement, [&] {
    std::vector<SequenceInfo> sequences;
    const KeyHash hash = key_hash(aside_key, scope);
    Query& row = impl_->queries.asides;
    const Rows ready(row);
    row.blob(hash.view());
    while (row.step()) {
      SequenceInfo& info = sequences.emplace_back();
      info.id = -row.number(0, 1, INT64_MAX >> 1);
      info.take = row.small(1);
      info.lane = row.small(2);
      info.count = row.small(3);
      info.succeeded = row.flag(4);
      info.many_sessions = row.flag(5);
      info.first_error = error_code_in(row, 6);
    }
    std::stable_sort(sequences.begin(), sequences.end(),
                     [](const SequenceInfo& a, const SequenceInfo& b) { return a.take > b.take; });
    return sequences;
  });
}

PlayedAnswer CassetteReader::Impl::answer_aside(std::int64_t aside) {
  std::int64_t interaction = 0;
  std::uint32_t place = 0, segment = 0, divides = 0;
  {
    Rows scope(queries.aside);
    if (!queries.aside.integer(aside).step()) throw Damage("an answer is not there");
    interaction = queries.aside.number(0, 1, INT64_MAX >> 1);
    place = queries.aside.small(1);
    segment = queries.aside.small(2);
    divides = queries.aside.small(3);
  }
  Rows scope(queries.row);
  if (!queries.row.integer(interaction).step()) throw Damage("an answer is not there");
  PlayedAnswer answer = answer_in(queries.row, interaction);
  answer.segment = segment;
  answer.divides = divides;
  if (place > 0) take_part(answer, place);
  return answer;
}

}  // namespace tapedeck::cassettes
