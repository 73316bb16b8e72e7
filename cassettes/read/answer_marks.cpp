#include "cassettes/read/answer_marks.h"

#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

void each_answer_mark(const CassetteReader& cassette, const std::function<void(const AnswerMark&)>& visit) {
  ReaderState& state = ReaderAccess::state(cassette);
  state.guarded(long_statement, [&] {
    Query query(*state.database,
                "SELECT i.id, i.headers, CASE WHEN i.body = 0 THEN i.body_sha256 ELSE"
                " (SELECT holder.body_sha256 FROM interaction holder WHERE holder.id = i.body) END"
                " FROM interaction i ORDER BY i.id");
    while (query.step()) {
      visit({query.number(0), query.number(1), query.bytes(2)});
      state.deadline.arm(long_statement);
    }
  });
}

http::Headers headers_of(const CassetteReader& cassette, std::int64_t header_set) {
  ReaderState& state = ReaderAccess::state(cassette);
  return state.guarded(one_statement, [&] { return state.rows.headers(header_set)->headers; });
}

}  // namespace tapedeck::cassettes
