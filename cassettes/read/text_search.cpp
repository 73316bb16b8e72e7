#include "cassettes/read/text_search.h"

#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

using Table = StoredText::Table;

void each_text(const CassetteReader& cassette,
               const std::function<void(const StoredText&, std::string_view text)>& visit) {
  ReaderState& state = ReaderAccess::state(cassette);
  state.guarded(long_statement, [&] {
    const auto each = [&](Table table, const char* sql) {
      Query query(*state.database, sql);
      while (query.step()) {
        visit({table, query.number(0)}, query.bytes(1));
        state.deadline.arm(long_statement);
      }
    };
    each(Table::key, "SELECT id, text FROM key");
    each(Table::target, "SELECT id, target FROM interaction");
    each(Table::headers, "SELECT id, text FROM headers");
    each(Table::body, "SELECT id, bytes FROM body");
  });
}

void each_texts_of(const CassetteReader& cassette, const std::function<void(const TextsOf&)>& visit) {
  ReaderState& state = ReaderAccess::state(cassette);
  state.guarded(long_statement, [&] {
    Query query(*state.database,
                "SELECT id, key, request_headers, request_body, headers, body FROM interaction ORDER BY id");
    while (query.step()) {
      const auto text = [&](Table table, int column) { return StoredText{table, query.number(column)}; };
      visit({query.number(0), text(Table::key, 1), text(Table::target, 0), text(Table::headers, 2),
             text(Table::body, 3), text(Table::headers, 4), text(Table::body, 5)});
      state.deadline.arm(long_statement);
    }
  });
}

FullInteraction interaction_at(const CassetteReader& cassette, std::int64_t interaction) {
  ReaderState& state = ReaderAccess::state(cassette);
  return state.guarded(one_statement, [&] { return state.full(interaction); });
}

void each_response_digest(const CassetteReader& cassette, const std::function<void(const ResponseDigest&)>& visit) {
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
