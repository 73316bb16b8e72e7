// From a key to its sequences and answers: the row under the key's hash has both (docs/cassette-format.md,
// interaction).

#include <algorithm>
#include <cstdlib>

#include "base/digest.h"
#include "cassettes/file/redaction_codec.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

// With chance alone, ten million keys have no three of which the first 32 bits are the same.
constexpr int most_keys_in_a_place = 1000;
// Larger ones are worth a second look at the row: who looks a key up may not want its answer.
constexpr std::int64_t largest_first_answer = 64 * 1024;

enum Column : int {
  key_hash_column,
  sequences_column,
  take_column,
  lane_column,
  position_column,
  count_column,
  passed_over_column,
  hidden_column,
  succeeded_column,
  many_sessions_column,
  number_column,
  error_code_column,
  digest_column,
  status_column,
  phrase_column,
  headers_column,
  body_column,
  segment_column,
  played_column,
  redacted_parts_column,
  started_column,
  divides_column,
  body_encoding_column,  ///< size and bytes follow
  body_size_column,
};

/// As replay wants them: the newest take first.
void order(std::vector<SequenceInfo>& sequences) {
  std::sort(sequences.begin(), sequences.end(), [](const SequenceInfo& a, const SequenceInfo& b) {
    return a.take != b.take ? a.take > b.take : a.lane < b.lane;
  });
}

}  // namespace

CassetteReader::Impl::Head CassetteReader::Impl::head_in(const Query& row, std::int64_t id) {
  Head head;
  const std::int64_t sequences = row.number(sequences_column, -INT32_MAX, INT32_MAX);
  head.sequences = static_cast<std::uint32_t>(std::abs(sequences));
  head.has_parts = sequences < 0;
  head.info.id = id;
  head.info.number = row.number(number_column, 1, INT64_MAX >> 1);
  head.info.take = row.small(take_column);
  head.info.lane = row.small(lane_column);
  head.info.count = row.small(count_column);
  head.info.passed_over = row.small(passed_over_column);
  head.info.hidden = row.small(hidden_column);
  head.info.succeeded = row.flag(succeeded_column);
  head.info.many_sessions = row.flag(many_sessions_column);
  head.info.first_error = error_code_in(row, error_code_column);
  const std::int64_t place = id & most_places;
  if (row.small(position_column) != 0 || head.info.rows() == 0 || head.info.rows() > most_places + 1 - place) {
    throw Damage("a sequence does not begin where it should");
  }
  return head;
}

std::vector<SequenceInfo> CassetteReader::Impl::sequences_from(const Head& first) {
  std::vector<SequenceInfo> sequences{first.info};
  for (std::uint32_t i = 1; i < first.sequences; ++i) {
    const std::int64_t next = sequences.back().id + sequences.back().rows();
    Query& row = queries.head;
    Rows scope(row);
    if (!row.integer(next).step()) throw Damage("a sequence is not there");
    const Head head = head_in(row, next);
    if (head.sequences != 0) throw Damage("a sequence belongs to another key");
    sequences.push_back(head.info);
  }
  return sequences;
}

KeyLookup CassetteReader::Impl::sequences_of(const KeyHash& hash) {
  std::int64_t next = first_row(hash);
  for (int keys = 0; keys < most_keys_in_a_place; ++keys) {
    Head head;
    bool found = false;
    {
      Query& row = queries.head;
      Rows scope(row);
      if (!row.integer(next).step()) return {};
      head = head_in(row, next);
      if (head.sequences == 0) throw Damage("a key does not begin where it should");
      found = row.bytes(key_hash_column) == hash.view();
    }
    std::vector<SequenceInfo> sequences = sequences_from(head);
    if (found) return {std::move(sequences), head.has_parts, std::nullopt};
    next = sequences.back().id + sequences.back().rows();
  }
  throw Damage("too many keys have hashes that begin alike");
}

PlayedAnswer CassetteReader::Impl::answer_in(const Query& row, std::int64_t id, std::uint32_t position) {
  if (!row.flag(played_column) || row.small(position_column) != position) {
    throw Damage("a sequence names an answer that is not played");
  }
  return answer_in(row, id);
}

PlayedAnswer CassetteReader::Impl::answer_in(const Query& row, std::int64_t id) {
  PlayedAnswer answer;
  answer.number = row.number(number_column, 1, INT64_MAX);
  answer.id = base::to_hex(row.bytes(digest_column));
  answer.status = static_cast<int>(row.number(status_column, 0, 999));
  answer.reason = rows.word(row.small(phrase_column));
  answer.header_set = row.small(headers_column);
  const auto headers = rows.headers(answer.header_set);
  answer.headers = {headers, &headers->headers};
  const std::int64_t holder = row.number(body_column, 0, id - 1);
  answer.body =
      holder == 0 ? rows.body_in(row, body_encoding_column) : rows.body({BodyPlace::Table::interaction, holder});
  if (row.number(body_size_column) != static_cast<std::int64_t>(answer.body.size())) {
    throw Damage("a body has another size than it says");
  }
  answer.error_code = error_code_in(row, error_code_column);
  answer.recorded_us = row.number(started_column, -largest_time, largest_time);
  answer.segment = row.small(segment_column);
  answer.divides = row.small(divides_column);
  constexpr auto first_part = scrubbers::Part::response_reason;
  if (row.number(redacted_parts_column, 0, 63) >> static_cast<int>(first_part)) {
    answer.redactions = rows.redactions(id, first_part);
    PartSizes sizes;
    sizes.of[3] = answer.reason.size();
    sizes.of[4] = headers->text_size;
    sizes.of[5] = answer.body.size();
    check_redactions(answer.redactions, sizes);
  }
  return answer;
}

KeyLookup CassetteReader::look_up(std::string_view key_text, std::string_view scope) const {
  return impl_->guarded(one_statement, [&] {
    KeyLookup found;
    const KeyHash hash = key_hash(key_text, scope);
    const std::int64_t id = first_row(hash);
    Query& row = impl_->queries.row;
    const Rows ready(row);
    if (!row.integer(id).step()) return found;
    if (row.bytes(key_hash_column) == hash.view()) {
      const Impl::Head head = Impl::head_in(row, id);
      found.sequences = impl_->sequences_from(head);
      found.has_parts = head.has_parts;
      const bool is_only = found.sequences.size() == 1 && head.info.count > 0 && !head.has_parts;
      if (is_only && row.number(body_size_column) <= largest_first_answer) found.first = impl_->answer_in(row, id, 0);
    } else {
      found = impl_->sequences_of(hash);
    }
    order(found.sequences);
    return found;
  });
}

std::vector<SequenceInfo> CassetteReader::sequences(std::string_view key_text, std::string_view scope) const {
  return impl_->guarded(one_statement, [&] {
    std::vector<SequenceInfo> sequences = impl_->sequences_of(key_hash(key_text, scope)).sequences;
    order(sequences);
    return sequences;
  });
}

PlayedAnswer CassetteReader::answer(const SequenceInfo& sequence, std::uint32_t position) const {
  return impl_->guarded(one_statement, [&] {
    if (position >= sequence.count) throw std::out_of_range("a position behind the end of a sequence");
    if (sequence.id < 0) return impl_->answer_aside(position - sequence.id);
    const std::int64_t id = sequence.id + position;
    Query& row = impl_->queries.row;
    Rows scope(row);
    if (!row.integer(id).step()) throw Damage("an answer is not there");
    return impl_->answer_in(row, id, position);
  });
}

std::vector<std::uint32_t> CassetteReader::segments(const SequenceInfo& sequence, std::uint32_t from,
                                                    std::uint32_t limit) const {
  return impl_->guarded(one_statement, [&] {
    std::vector<std::uint32_t> segments;
    if (from >= sequence.count) return segments;
    const std::uint32_t wanted = std::min(limit, sequence.count - from);
    const bool is_aside = sequence.id < 0;
    Query& query = is_aside ? impl_->queries.aside_segments : impl_->queries.segments;
    Rows scope(query);
    const std::int64_t first = (is_aside ? -sequence.id : sequence.id) + from;
    query.integer(first).integer(first + wanted);
    while (query.step()) segments.push_back(query.small(0));
    if (segments.size() != wanted) throw Damage("an answer is not there");
    return segments;
  });
}

}  // namespace tapedeck::cassettes
