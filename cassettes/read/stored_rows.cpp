#include "cassettes/read/stored_rows.h"

#include "base/digest.h"
#include "cassettes/file/interaction_id.h"
#include "cassettes/file/redaction_codec.h"
#include "cassettes/file/schema.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::size_t most_cached_words = 1024;
constexpr std::size_t most_cached_header_sets = 512;
constexpr std::size_t largest_cached_text = 16384;
constexpr std::size_t largest_dictionary = 1u << 20;

constexpr const char* body_of_row = "SELECT encoding, size, bytes, sha256 FROM body WHERE id = ?";

constexpr const char* answer_body_of_row =
    "SELECT body_encoding, body_size, body_bytes, body_sha256 FROM interaction WHERE id = ? AND body = 0";

constexpr const char* whole_interaction =
    "SELECT i.session, i.account, i.status, i.phrase, i.headers,"
    " CASE WHEN i.body_size = 0 THEN 0 WHEN i.body = 0 THEN i.id ELSE i.body END, i.effect, i.completeness, i.reason,"
    " i.withheld_digest, i.withheld_bytes, i.started_us, i.duration_us, i.redactions, r.verb, r.minor_version,"
    " r.headers, r.body, r.target, k.text, k.has_holes, i.ended_by_client, i.first_byte_us, ifnull(s.name, ''),"
    " ifnull(p.events, x''), i.digest FROM interaction i CROSS JOIN request r CROSS JOIN key k"
    " LEFT JOIN scope s ON s.id = k.scope LEFT JOIN pace p ON p.interaction = i.id"
    " WHERE i.id = ? AND r.id = i.request AND k.id = r.key";

constexpr int digest_column = 25;  ///< of whole_interaction

struct ChangedBody {};

std::shared_ptr<const BodyDictionary> dictionary_of(SQLite::Database& database) {
  Query query(database, "SELECT bytes FROM dictionary WHERE id = 1");
  Rows rows(query);
  if (!query.step() || query.bytes(0).empty()) return nullptr;
  if (query.bytes(0).size() > largest_dictionary) throw Damage("its dictionary is too long");
  return std::make_shared<const BodyDictionary>(query.string(0));
}

}  // namespace

std::optional<int> error_code_in(const Query& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return static_cast<int>(row.number(column, INT32_MIN, INT32_MAX));
}

StoredRows::StoredRows(SQLite::Database& database, const StoredRows* other)
    : interaction_(database, whole_interaction),
      request_body_(database, body_of_row),
      answer_body_(database, answer_body_of_row),
      word_(database, "SELECT text FROM word WHERE id = ?"),
      headers_(database, "SELECT text FROM header_set WHERE id = ?"),
      redactions_(database,
                  "SELECT part, offset, length, class, whose, owner, ordinal, encoding, shape, rule FROM redaction"
                  " WHERE interaction = ? AND part >= ? ORDER BY interaction, part, offset"),
      unpacker_(other != nullptr ? other->unpacker_.dictionary() : dictionary_of(database)) {}

std::string StoredRows::read_body(const BodyPlace& place, bool compare) {
  if (place.row == 0) return {};
  Query& query = place.table == BodyPlace::Table::body ? request_body_ : answer_body_;
  Rows rows(query);
  if (!query.integer(place.row).step()) throw Damage("a body is not there");
  std::string body = body_in(query, 0);
  if (compare && sha256_bytes(body) != query.bytes(3)) throw ChangedBody();
  return body;
}

std::string StoredRows::own_body(const Query& row, const BodyPlace& place) {
  try {
    return read_body(place, true);
  } catch (const ChangedBody&) {
    const char* whose = place.table == BodyPlace::Table::body ? "request" : "answer";
    throw Damage("interaction " + base::to_hex(row.bytes(digest_column)) + ": the body of its " + whose +
                 " is not the one that was recorded; it was changed by other means");
  }
}

std::string StoredRows::body_in(const Query& row, int column) {
  const auto encoding = static_cast<BodyEncoding>(row.number(column, 0, last_body_encoding));
  const auto size = static_cast<std::uint64_t>(row.number(column + 1, 0, static_cast<std::int64_t>(largest_body)));
  return unpacker_.unpack(encoding, row.bytes(column + 2), size);
}

const std::string& StoredRows::word(std::int64_t id) {
  if (const auto found = words_.find(id); found != words_.end()) return found->second;
  Rows rows(word_);
  if (!word_.integer(id).step()) throw Damage("a word is not there");
  if (words_.size() >= most_cached_words || word_.bytes(0).size() > largest_cached_text) words_.clear();
  return words_.insert_or_assign(id, word_.string(0)).first->second;
}

std::shared_ptr<const StoredHeaders> StoredRows::headers(std::int64_t id) {
  if (const auto found = header_sets_.find(id); found != header_sets_.end()) return found->second;
  auto stored = std::make_shared<StoredHeaders>();
  if (id != 0) {
    Rows rows(headers_);
    if (!headers_.integer(id).step()) throw Damage("a header set is not there");
    stored->headers = http::Headers::from_text(headers_.bytes(0));
    stored->text_size = headers_.bytes(0).size();
  }
  if (header_sets_.size() >= most_cached_header_sets || stored->text_size > largest_cached_text) header_sets_.clear();
  return header_sets_.insert_or_assign(id, std::move(stored)).first->second;
}

std::vector<scrubbers::Redaction> StoredRows::redactions(std::int64_t interaction, scrubbers::Part first_part) {
  std::vector<scrubbers::Redaction> redactions;
  Rows rows(redactions_);
  redactions_.integer(interaction).integer(static_cast<int>(first_part));
  while (redactions_.step()) {
    scrubbers::Redaction redaction;
    redaction.part = static_cast<scrubbers::Part>(redactions_.number(0, 0, 5));
    redaction.offset = redactions_.small(1);
    redaction.length = redactions_.small(2);
    redaction.secret_class =
        static_cast<scrubbers::SecretClass>(redactions_.number(3, 0, static_cast<int>(scrubbers::last_secret_class)));
    redaction.whose = static_cast<scrubbers::Whose>(redactions_.number(4, 0, 2));
    redaction.owner = redactions_.small(5);
    redaction.ordinal = redactions_.small(6);
    redaction.encoding = word(redactions_.small(7));
    redaction.shape = word(redactions_.small(8));
    redaction.rule = word(redactions_.small(9));
    redactions.push_back(std::move(redaction));
  }
  return redactions;
}

http::Request StoredRows::request_of(const Query& row) {
  http::Request request;
  request.method = word(row.small(14));
  request.minor_version = static_cast<int>(row.number(15, 0, 9));
  request.headers = headers(row.small(16))->headers;
  request.body = own_body(row, {BodyPlace::Table::body, row.small(17)});
  request.target = row.string(18);
  return request;
}

http::Response StoredRows::response_of(const Query& row) {
  http::Response response;
  response.status = static_cast<int>(row.number(2, 0, 999));
  response.reason = word(row.small(3));
  response.headers = headers(row.small(4))->headers;
  response.body = own_body(row, {BodyPlace::Table::interaction, row.number(5, 0, INT64_MAX)});
  return response;
}

scrubbers::InteractionRecord StoredRows::record(std::int64_t interaction) {
  Rows rows(interaction_);
  if (!interaction_.integer(interaction).step()) {
    throw Damage("interaction " + std::to_string(interaction) + " is not there");
  }
  const Query& row = interaction_;
  scrubbers::InteractionRecord record;
  record.session = row.small(0);
  record.account = row.small(1);
  record.effect = static_cast<api::Effect>(row.number(6, 0, 2));
  record.completeness = static_cast<api::Completeness>(row.number(7, 0, 2));
  record.reason = word(row.small(8));
  record.withheld_digest = row.string(9);
  record.withheld_bytes = static_cast<std::uint64_t>(row.number(10, 0, INT64_MAX));
  record.started_us = row.number(11, -largest_time, largest_time);
  record.ended_us = record.started_us + row.number(12, -largest_time, largest_time);
  record.ended_by_client = row.flag(21);
  if (!row.is_null(22)) record.first_byte_us = record.started_us + row.number(22, 0, largest_time);
  record.scope = row.string(23);
  record.request = request_of(row);
  record.response = response_of(row);
  record.events = unpack_events(row.bytes(24), record.started_us, record.response.body.size());
  record.key.text = row.string(19);
  record.key.has_holes = row.flag(20);
  record.redactions = redactions(interaction, scrubbers::Part::request_target);
  if (record.redactions.size() != row.small(13)) throw Damage("an interaction lacks redactions");
  PartSizes sizes;
  sizes.of[0] = record.request.target.size();
  sizes.of[1] = headers(row.small(16))->text_size;
  sizes.of[2] = record.request.body.size();
  sizes.of[3] = record.response.reason.size();
  sizes.of[4] = headers(row.small(4))->text_size;
  sizes.of[5] = record.response.body.size();
  check_redactions(record.redactions, sizes);
  return record;
}

}  // namespace tapedeck::cassettes
