// Finds the sequences and responses for a key.

#include <algorithm>

#include "api/envelope.h"
#include "api/json_spans.h"
#include "base/digest.h"
#include "cassettes/file/rows.h"
#include "cassettes/read/reader_state.h"

namespace tapedeck::cassettes {

namespace {

/// Replaces the body with a piece of it between two texts, and adjusts the redactions in the piece.
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

bool is_response_row(const scrubbers::Redaction& row) { return row.part >= scrubbers::Part::response_reason; }

/// Returns true if the response, but not the request, contains the ID of its session.
bool begins_session(const std::vector<scrubbers::Redaction>& rows) {
  const auto is_own = [](const scrubbers::Redaction& row) {
    return row.whose == scrubbers::Whose::own && scrubbers::is_session_id(row);
  };
  return std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return is_own(row) && is_response_row(row); }) &&
         std::none_of(rows.begin(), rows.end(), [&](const auto& row) { return is_own(row) && !is_response_row(row); });
}

/// Turns the response to a compound into the response to one part. `place` counts from 1.
void take_part(PlayedAnswer& answer, std::uint32_t place) {
  const auto parts = api::compound_answers(answer.body);
  if (!parts || place > parts->size()) throw Damage("a part of a compound request is missing");
  const std::string_view part = (*parts)[place - 1];
  const auto verdict = api::verdict(part);
  if (!verdict) throw Damage("a part of a compound response is malformed");
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

/// Selects the interactions whose target or bodies contain a text, which is bound to all three parameters.
const std::string interactions_with =
    " FROM interaction i CROSS JOIN key k LEFT JOIN body q ON q.id = i.request_body LEFT JOIN body r ON r.id = i.body"
    " WHERE k.id = i.key AND (instr(CAST(i.target AS BLOB), ?) > 0 OR"
    " ifnull(instr(CAST(q.bytes AS BLOB), ?), 0) > 0 OR ifnull(instr(CAST(r.bytes AS BLOB), ?), 0) > 0)";

}  // namespace

std::vector<SequenceInfo> CassetteReader::Impl::sequences_of(std::string_view key_text, std::string_view scope,
                                                             SequenceKind kind) {
  std::vector<SequenceInfo> sequences;
  const std::optional<std::int64_t> scope_id = scope_row(scope);
  if (!scope_id) return sequences;
  Query& row = queries.sequences;
  const Rows ready(row);
  row.text(key_text).integer(*scope_id).integer(static_cast<int>(kind));
  while (row.step()) {
    SequenceInfo& sequence = sequences.emplace_back();
    sequence.id = row.number(0, 1, INT64_MAX);
    sequence.take = row.small(1);
    sequence.lane = row.small(2);
    sequence.count = row.small(3);
    sequence.passed_over = row.small(4);
    sequence.hidden = row.small(5);
    sequence.succeeded = row.flag(6);
    sequence.many_sessions = row.flag(7);
    sequence.first_error = error_code_in(row, 8);
    sequence.secrets = row.string(9);
    sequence.is_ambiguous = row.flag(10);
    sequence.account = row.small(11);
  }
  return sequences;
}

std::vector<SequenceInfo> CassetteReader::sequences(std::string_view key_text, std::string_view scope) const {
  return impl_->guarded(one_statement, [&] { return impl_->sequences_of(key_text, scope, SequenceKind::whole); });
}

std::vector<SequenceInfo> CassetteReader::parts(std::string_view key_text, std::string_view scope) const {
  if (!impl_->info.has_parts) return {};
  return impl_->guarded(one_statement, [&] { return impl_->sequences_of(key_text, scope, SequenceKind::part); });
}

PlayedAnswer CassetteReader::Impl::answer_at(std::int64_t sequence, std::uint32_t position) {
  Query& row = queries.answer;
  const Rows ready(row);
  if (!row.integer(sequence).integer(position).step()) throw Damage("a response is missing");
  PlayedAnswer answer;
  answer.number = row.number(0, 1, INT64_MAX);
  const std::uint32_t place = row.small(1);
  answer.segment = row.small(2);
  answer.divides = row.small(3);
  answer.error_code = error_code_in(row, 4);
  answer.id = base::to_hex(row.bytes(5));
  answer.status = static_cast<int>(row.number(6, 0, 599));
  if (!http::is_final(answer.status)) throw Damage("a response has no final status");
  answer.reason = row.string(7);
  answer.header_set = row.small(8);
  answer.recorded_us = row.number(9, -largest_time, largest_time);
  if (row.number(10) != 0 && row.is_null(11)) throw Damage("a body is missing");
  answer.body = body_in(row, 11);
  answer.waited_us = row.number(16, 0, largest_time);
  const std::uint32_t take = row.small(14);
  const std::string scope = row.is_null(15) ? std::string() : row.string(15);
  if (!info.device.empty()) answer.device = device_of(take);
  const auto headers = rows.headers(answer.header_set);
  answer.headers = {headers, &headers->headers};
  answer.redactions = rows.details().redactions(answer.number, scrubbers::Part::request_target);
  answer.begins_session = begins_session(answer.redactions);
  std::erase_if(answer.redactions, [](const auto& redaction) { return !is_response_row(redaction); });
  PartSizes sizes;
  sizes.of[3] = answer.reason.size();
  sizes.of[4] = headers->text_size;
  sizes.of[5] = answer.body.size();
  check_redactions(answer.redactions, sizes);
  if (!answer.redactions.empty()) answer.origin = origin(take, scope);
  if (place > 0) take_part(answer, place);
  return answer;
}

std::string CassetteReader::Impl::device_of(std::uint32_t take) const {
  const auto found =
      std::find_if(info.takes.begin(), info.takes.end(), [take](const Take& one) { return one.number == take; });
  return found == info.takes.end() ? std::string() : found->device;
}

PlayedAnswer CassetteReader::answer(const SequenceInfo& sequence, std::uint32_t position) const {
  return impl_->guarded(one_statement, [&] {
    if (position >= sequence.count + sequence.passed_over)
      throw std::out_of_range("a position after the end of a sequence");
    return impl_->answer_at(sequence.id, position);
  });
}

std::vector<std::uint32_t> CassetteReader::segments(const SequenceInfo& sequence, std::uint32_t from,
                                                    std::uint32_t limit) const {
  return impl_->guarded(one_statement, [&] {
    std::vector<std::uint32_t> segments;
    if (from >= sequence.count) return segments;
    const std::uint32_t wanted = std::min(limit, sequence.count - from);
    Query& query = impl_->queries.segments;
    const Rows scope(query);
    query.integer(sequence.id).integer(from).integer(std::int64_t{from} + wanted);
    while (query.step()) segments.push_back(query.small(0));
    if (segments.size() != wanted) throw Damage("a response is missing");
    return segments;
  });
}

std::vector<TurnFacts> CassetteReader::turns(const SequenceInfo& sequence) const {
  return impl_->guarded(one_statement, [&] {
    std::vector<TurnFacts> turns;
    Query& query = impl_->queries.turns;
    const Rows rows(query);
    query.integer(sequence.id).integer(std::min(sequence.count, most_turns));
    while (query.step()) {
      TurnFacts& facts = turns.emplace_back();
      facts.account = query.small(0);
      facts.ord = query.small(1);
      facts.error_code = error_code_in(query, 2);
      facts.session = query.small(3);
    }
    return turns;
  });
}

std::string CassetteReader::Impl::origin(std::uint32_t take, std::string_view scope) const {
  for (const Take& one : info.takes) {
    if (one.number == take) return base::to_hex(one.id) + "/" + std::string(scope);
  }
  throw Damage("an interaction belongs to no take");
}

std::string CassetteReader::origin(std::uint32_t take, std::string_view scope) const {
  return impl_->guarded(one_statement, [&] { return impl_->origin(take, scope); });
}

std::uint32_t CassetteReader::first_with(const std::vector<std::string>& texts, std::uint32_t take, std::uint32_t lane,
                                         std::string_view scope) const {
  return impl_->guarded(long_statement, [&] {
    std::uint32_t first = 0;
    const std::optional<std::int64_t> scope_id = impl_->scope_row(scope);
    if (!scope_id) return first;
    for (const std::string& text : texts) {
      Query query(*impl_->database, "SELECT i.ord" + interactions_with +
                                        " AND i.take = ? AND i.lane = ? AND k.scope = ? ORDER BY i.id LIMIT 1");
      query.blob(text).blob(text).blob(text).integer(take).integer(lane).integer(*scope_id);
      if (!query.step()) continue;
      const std::uint32_t found = query.small(0);
      first = first == 0 ? found : std::min(first, found);
    }
    return first;
  });
}

std::uint32_t CassetteReader::count_with(const std::vector<std::string>& texts, std::uint32_t limit) const {
  return impl_->guarded(long_statement, [&] {
    std::uint32_t most = 0;
    for (const std::string& text : texts) {
      Query query(*impl_->database, "SELECT count(*) FROM (SELECT 1" + interactions_with + " LIMIT ?)");
      query.blob(text).blob(text).blob(text).integer(limit);
      if (query.step()) most = std::max(most, query.small(0));
    }
    return most;
  });
}

bool CassetteReader::has_response_with(std::string_view text) const {
  return impl_->guarded(long_statement, [&] {
    Query query(*impl_->database,
                "SELECT 1 FROM body b WHERE instr(CAST(b.bytes AS BLOB), ?) > 0 AND EXISTS"
                " (SELECT 1 FROM interaction i WHERE i.body = b.id) LIMIT 1");
    query.blob(text);
    return query.step();
  });
}

std::optional<std::string> CassetteReader::error_body(int error_code) const {
  return impl_->guarded(long_statement, [&]() -> std::optional<std::string> {
    // The response to a compound has the code of its parts, but not in its envelope.
    Query query(*impl_->database,
                "SELECT b.size, b.sha256, b.bytes FROM interaction i CROSS JOIN body b WHERE i.error_code = ?"
                " AND i.completeness = 0 AND b.id = i.body AND NOT EXISTS (SELECT 1 FROM redaction r"
                " WHERE r.interaction = i.id AND r.part = ?) ORDER BY i.id LIMIT 100");
    query.integer(error_code).integer(static_cast<int>(scrubbers::Part::response_body));
    while (query.step()) {
      const std::string_view body = body_in(query, 0);
      const auto verdict = api::verdict(body);
      if (verdict && !verdict->success && verdict->error_code == error_code) return std::string(body);
    }
    return std::nullopt;
  });
}

void CassetteReader::conflicts(
    const std::function<void(const std::string&, const std::string&, std::uint32_t)>& visit) const {
  impl_->guarded(long_statement, [&] {
    Query query(*impl_->database,
                "SELECT DISTINCT k.id, q.take, k.text, ifnull((SELECT name FROM scope WHERE id = k.scope), '')"
                " FROM sequence q CROSS JOIN key k WHERE q.ambiguous <> 0 AND k.id = q.key ORDER BY k.id, q.take");
    while (query.step()) visit(query.string(3), query.string(2), query.small(1));
  });
}

}  // namespace tapedeck::cassettes
