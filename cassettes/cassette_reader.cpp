#include "cassettes/cassette_reader.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "cassettes/interaction_id.h"
#include "cassettes/reader_state.h"
#include "cassettes/redaction_codec.h"
#include "cassettes/takes.h"
#include "http/digest.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::size_t digest_size = 8;

SequenceInfo sequence_at(const Query& row) {
  SequenceInfo sequence;
  sequence.take = row.small(0);
  sequence.lane = row.small(1);
  sequence.id = row.number(2, 1, INT64_MAX >> 1);
  sequence.count = row.small(3);
  sequence.hidden = row.small(4);
  sequence.succeeded = row.flag(5);
  sequence.many_sessions = row.flag(6);
  return sequence;
}

void order(std::vector<SequenceInfo>& sequences) {
  std::sort(sequences.begin(), sequences.end(), [](const SequenceInfo& a, const SequenceInfo& b) {
    return a.take != b.take ? a.take > b.take : a.lane < b.lane;
  });
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return result;
}

/// The smallest digest that begins with these hex digits, and the smallest one after all of them.
std::pair<std::string, std::string> digest_range(std::string_view hex) {
  std::pair<std::string, std::string> range;
  for (const bool upper : {false, true}) {
    std::string padded(hex);
    padded.resize(digest_size * 2, upper ? 'f' : '0');
    std::string& bytes = upper ? range.second : range.first;
    for (std::size_t i = 0; i < padded.size(); i += 2) {
      bytes += static_cast<char>(std::stoi(padded.substr(i, 2), nullptr, 16));
    }
  }
  return range;
}

bool is_id_prefix(std::string_view id) {
  return id.size() >= 4 && id.size() <= digest_size * 2 &&
         std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isxdigit(c) != 0; });
}

}  // namespace

const CassetteInfo& CassetteReader::info() const { return impl_->info; }

std::vector<SequenceInfo> CassetteReader::sequences(std::string_view key_text) const {
  return impl_->guarded(one_statement, [&] {
    std::vector<SequenceInfo> sequences;
    const KeyHash hash = key_hash(key_text);
    Query& query = impl_->queries.sequences;
    Rows rows(query);
    query.integer(hash.high).integer(hash.low);
    while (query.step()) sequences.push_back(sequence_at(query));
    order(sequences);
    return sequences;
  });
}

PlayedAnswer CassetteReader::answer(const SequenceInfo& sequence, std::uint32_t position) const {
  return impl_->guarded(one_statement, [&] {
    if (position >= sequence.count) throw std::out_of_range("a position behind the end of a sequence");
    Query& row = impl_->queries.answer;
    Rows rows(row);
    PlayedAnswer answer;
    answer.interaction = sequence.id + position;
    if (!row.integer(answer.interaction).step()) throw Damage("an answer is not there");
    if (!row.flag(8)) throw Damage("a sequence names an answer that is not played");
    answer.id = http::to_hex(row.bytes(0));
    answer.status = static_cast<int>(row.number(1, 0, 999));
    answer.reason = impl_->rows.word(row.small(2));
    answer.header_set = row.small(3);
    const auto headers = impl_->rows.headers(answer.header_set);
    answer.headers = {headers, &headers->headers};
    const std::int64_t holder = row.number(4, 0, answer.interaction);
    answer.body = holder == answer.interaction ? impl_->rows.body_in(row, 10)
                                               : impl_->rows.body({BodyPlace::Table::interaction, holder});
    if (row.number(11) != static_cast<std::int64_t>(answer.body.size())) {
      throw Damage("a body has another size than it says");
    }
    if (!row.is_null(5)) answer.error_code = static_cast<int>(row.number(5, INT32_MIN, INT32_MAX));
    answer.segment = row.small(6);
    answer.effect = static_cast<api::Effect>(row.number(7, 0, 2));
    constexpr auto first_part = scrubbers::Part::response_reason;
    if (row.number(9, 0, 63) >> static_cast<int>(first_part)) {
      answer.redactions = impl_->rows.redactions(answer.interaction, first_part);
      PartSizes sizes;
      sizes.of[3] = answer.reason.size();
      sizes.of[4] = headers->text_size;
      sizes.of[5] = answer.body.size();
      check_redactions(answer.redactions, sizes);
    }
    return answer;
  });
}

std::vector<std::uint32_t> CassetteReader::segments(const SequenceInfo& sequence, std::uint32_t from,
                                                    std::uint32_t limit) const {
  return impl_->guarded(one_statement, [&] {
    std::vector<std::uint32_t> segments;
    if (from >= sequence.count) return segments;
    Query& query = impl_->queries.segments;
    Rows rows(query);
    const std::int64_t first = sequence.id + from;
    query.integer(first).integer(first + std::min(limit, sequence.count - from));
    while (query.step()) segments.push_back(query.small(0));
    return segments;
  });
}

std::uint32_t CassetteReader::lanes(std::uint32_t take) const {
  return impl_->guarded(one_statement, [&] {
    Query& query = impl_->queries.take_lanes;
    Rows rows(query);
    return query.integer(take).step() ? query.small(0) : 0u;
  });
}

std::vector<api::RequestKey> CassetteReader::keys_of(std::string_view api_rest, std::string_view method,
                                                     std::size_t limit) const {
  return impl_->guarded(one_statement, [&] {
    const std::string folded = lower(method);
    std::vector<api::RequestKey> keys;
    Query& query = impl_->queries.keys_of_operation;
    Rows rows(query);
    query.text(api_rest).text(folded).integer(static_cast<std::int64_t>(std::min<std::size_t>(limit, INT32_MAX)));
    while (query.step()) {
      keys.push_back(api::RequestKey::parse(query.bytes(0)));
      keys.back().has_holes = query.flag(1);
    }
    return keys;
  });
}

bool CassetteReader::has_api(std::string_view api_rest) const {
  return impl_->guarded(one_statement, [&] {
    Query& query = impl_->queries.operations_of_api;
    Rows rows(query);
    return query.text(api_rest).step();
  });
}

std::vector<CassetteReader::Operation> CassetteReader::operations() const {
  return impl_->guarded(one_statement, [&] {
    std::vector<Operation> operations;
    Query& query = impl_->queries.operations;
    Rows rows(query);
    while (query.step()) {
      const api::ApiName name{query.string(0), query.string(1)};
      operations.push_back({name.full(), query.string(2), query.string(3)});
    }
    return operations;
  });
}

std::optional<FullInteraction> CassetteReader::get(std::string_view id) const {
  if (!is_id_prefix(id)) return std::nullopt;
  return impl_->guarded(one_statement, [&]() -> std::optional<FullInteraction> {
    const auto [low, high] = digest_range(id);
    std::vector<std::int64_t> found;
    {
      Query& query = impl_->queries.interaction_by_digest;
      Rows rows(query);
      query.blob(low).blob(high);
      while (query.step()) found.push_back(query.number(0));
    }
    if (found.empty()) return std::nullopt;
    if (found.size() > 1) {
      throw CassetteError(CassetteError::Kind::not_found,
                          impl_->path + ": several interactions begin with " + std::string(id) + "; give more digits");
    }
    return impl_->full(found.front());
  });
}

}  // namespace tapedeck::cassettes
