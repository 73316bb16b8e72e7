#include "cassettes/read/text_search.h"

#include <string>

#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

using Table = StoredText::Table;
using Visit = std::function<void(const StoredText&, std::string_view)>;

/// Row and text.
void each_short(ReaderState& state, Table table, const char* sql, unsigned share, unsigned shares, const Visit& visit) {
  Query query(*state.database, sql);
  query.integer(shares).integer(share);
  while (query.step()) {
    visit({table, query.number(0)}, query.bytes(1));
    state.deadline.arm(long_statement);
  }
}

/// Row, encoding, size and bytes.
void each_body(ReaderState& state, Table table, Query& query, const Visit& visit) {
  while (query.step()) {
    visit({table, query.number(0)}, state.rows.body_in(query, 1));
    state.deadline.arm(long_statement);
  }
}

}  // namespace

void each_text(const CassetteReader& cassette, unsigned share, unsigned shares, const Visit& visit) {
  ReaderState& state = ReaderAccess::state(cassette);
  state.guarded(long_statement, [&] {
    const auto each = [&](Table table, const char* sql) { each_short(state, table, sql, share, shares, visit); };
    each(Table::key, "SELECT id, text FROM key WHERE id % ? = ?");
    each(Table::target, "SELECT id, target FROM request WHERE id % ? = ?");
    each(Table::headers, "SELECT id, text FROM header_set WHERE id % ? = ?");
    Query requests(*state.database, "SELECT id, encoding, size, bytes FROM body WHERE id % ? = ?");
    requests.integer(shares).integer(share);
    each_body(state, Table::request_body, requests, visit);
    // Rows lie evenly over the keys' hashes.
    const std::int64_t step = (std::int64_t{1} << 56) / shares + 1;
    Query answers(*state.database,
                  "SELECT id, body_encoding, body_size, body_bytes FROM interaction"
                  " WHERE id >= ? AND id < ? AND body = 0 AND body_size > 0 ORDER BY id");
    answers.integer(step * share).integer(step * (share + 1));
    each_body(state, Table::answer_body, answers, visit);
  });
}

void each_texts_of(const CassetteReader& cassette, const std::function<void(const TextsOf&)>& visit) {
  ReaderState& state = ReaderAccess::state(cassette);
  state.guarded(long_statement, [&] {
    Query query(*state.database,
                "SELECT i.id, r.key, r.id, r.headers, r.body, i.headers,"
                " CASE WHEN i.body_size = 0 THEN 0 WHEN i.body = 0 THEN i.id ELSE i.body END"
                " FROM interaction i CROSS JOIN request r WHERE r.id = i.request");
    while (query.step()) {
      const auto text = [&](Table table, int column) { return StoredText{table, query.number(column)}; };
      visit({query.number(0), text(Table::key, 1), text(Table::target, 2), text(Table::headers, 3),
             text(Table::request_body, 4), text(Table::headers, 5), text(Table::answer_body, 6)});
      state.deadline.arm(long_statement);
    }
  });
}

FullInteraction interaction_at(const CassetteReader& cassette, std::int64_t interaction) {
  ReaderState& state = ReaderAccess::state(cassette);
  return state.guarded(one_statement, [&] { return state.full(interaction); });
}

}  // namespace tapedeck::cassettes
