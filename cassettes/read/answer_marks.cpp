#include "cassettes/read/answer_marks.h"

#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

void each_answer_mark(const CassetteReader& cassette, const std::function<void(const AnswerMark&)>& visit) {
  ReaderState& state = ReaderAccess::state(cassette);
  state.guarded(long_statement, [&] {
    Query query(*state.database,
                "SELECT i.id, i.headers, ifnull(b.sha256, x'') FROM interaction i LEFT JOIN body b ON b.id = i.body"
                " ORDER BY i.id");
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
