#include "cassettes/read/stored_rows.h"

#include "base/digest.h"
#include "cassettes/file/format.h"
#include "cassettes/file/interaction_id.h"
#include "cassettes/file/rows.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::size_t most_cached_header_sets = 512;
constexpr std::size_t largest_cached_text = 16384;

constexpr const char* other_columns =
    "k.text, i.headers, i.body, i.request_headers, i.request_body, i.duration_us, i.first_byte_us, ifnull(s.name, ''),"
    " i.name FROM interaction i CROSS JOIN key k LEFT JOIN scope s ON s.id = k.scope WHERE i.id = ? AND k.id = i.key";
constexpr int name_column = after_shared + 8;

struct ChangedBody {};

std::string_view checked_body(const Query& row, int column) {
  const std::string_view bytes = row.bytes(column + 2);
  const bool has_size =
      row.number(column, 0, static_cast<std::int64_t>(largest_body)) == static_cast<std::int64_t>(bytes.size());
  if (!has_size || sha256_bytes(bytes) != row.bytes(column + 1)) throw ChangedBody();
  return bytes;
}

}  // namespace

std::optional<int> error_code_in(const Query& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return static_cast<int>(row.number(column, INT32_MIN, INT32_MAX));
}

std::string_view body_in(const Query& row, int column) {
  if (row.is_null(column)) return {};
  try {
    return checked_body(row, column);
  } catch (const ChangedBody&) {
    throw Damage("a body is not what was recorded; another program changed it");
  }
}

StoredRows::StoredRows(SQLite::Database& database)
    : interaction_(database, select_shared(other_columns)),
      body_(database, "SELECT size, sha256, bytes FROM body WHERE id = ?"),
      headers_(database, "SELECT text FROM headers WHERE id = ?"),
      details_(database) {}

std::string StoredRows::body(std::int64_t id, const Query& row, const char* whose) {
  if (id == 0) return {};
  Rows rows(body_);
  if (!body_.integer(id).step()) throw Damage("a body is missing");
  try {
    return std::string(checked_body(body_, 0));
  } catch (const ChangedBody&) {
    throw Damage("interaction " + base::to_hex(row.bytes(name_column)) + ": the body of its " + whose +
                 " is not what was recorded; another program changed it");
  }
}

std::shared_ptr<const StoredHeaders> StoredRows::headers(std::int64_t id) {
  if (const auto found = header_sets_.find(id); found != header_sets_.end()) return found->second;
  auto stored = std::make_shared<StoredHeaders>();
  if (id != 0) {
    Rows rows(headers_);
    if (!headers_.integer(id).step()) throw Damage("a set of headers is missing");
    stored->headers = http::Headers::from_text(headers_.bytes(0));
    stored->text_size = headers_.bytes(0).size();
  }
  if (header_sets_.size() >= most_cached_header_sets || stored->text_size > largest_cached_text) header_sets_.clear();
  return header_sets_.insert_or_assign(id, std::move(stored)).first->second;
}

scrubbers::InteractionRecord StoredRows::record(std::int64_t interaction) {
  Rows rows(interaction_);
  if (!interaction_.integer(interaction).step()) {
    throw Damage("interaction " + std::to_string(interaction) + " is missing");
  }
  const Query& row = interaction_;
  constexpr int next = after_shared;
  scrubbers::InteractionRecord record = shared_columns_of(row);
  if (record.completeness == api::Completeness::complete && !http::is_final(record.response.status)) {
    throw Damage("a response has status " + std::to_string(record.response.status));
  }
  record.key.text = row.string(next);
  record.response.headers = headers(row.small(next + 1))->headers;
  record.response.body = body(row.small(next + 2), row, "response");
  record.request.headers = headers(row.small(next + 3))->headers;
  record.request.body = body(row.small(next + 4), row, "request");
  record.ended_us = record.started_us + row.number(next + 5, -largest_time, largest_time);
  if (!row.is_null(next + 6)) record.first_byte_us = record.started_us + row.number(next + 6, 0, largest_time);
  record.scope = row.string(next + 7);
  details_.read(interaction, record);
  return record;
}

}  // namespace tapedeck::cassettes
