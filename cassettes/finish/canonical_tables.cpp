#include "cassettes/finish/canonical_tables.h"

#include <algorithm>
#include <cstring>

#include "api/request_key.h"
#include "cassettes/file/interaction_id.h"
#include "cassettes/file/redaction_codec.h"

namespace tapedeck::cassettes {

namespace {

/// Of rows that wait for their bodies.
constexpr std::size_t most_waiting = 256;
constexpr std::size_t most_waiting_bytes = 4u << 20;

/// Fields in one text, so that a digest can stand for all of them; lengths keep them apart.
std::string joined(std::initializer_list<std::string_view> fields) {
  std::string text;
  for (const std::string_view field : fields) {
    text += std::to_string(field.size());
    text += ':';
    text += field;
  }
  return text;
}

/// From the start; nothing when it is not known.
std::optional<std::int64_t> time_to_first_byte(const scrubbers::InteractionRecord& record) {
  if (record.first_byte_us == 0) return std::nullopt;
  return std::clamp(record.first_byte_us, record.started_us, std::max(record.started_us, record.ended_us)) -
         record.started_us;
}

int parts_of(const std::vector<scrubbers::Redaction>& redactions) {
  int parts = 0;
  for (const scrubbers::Redaction& redaction : redactions) parts |= 1 << static_cast<int>(redaction.part);
  return parts;
}

}  // namespace

Interned::Digest Interned::digest_of(std::string_view sha256) {
  Digest digest{};
  std::memcpy(&digest.high, sha256.data(), sizeof digest.high);
  std::memcpy(&digest.low, sha256.data() + sizeof digest.high, sizeof digest.low);
  return digest;
}

Interned::Slot Interned::find(std::string_view sha256, std::int64_t id) {
  const auto [found, is_new] = ids_.try_emplace(digest_of(sha256), id);
  return {found->second, is_new};
}

CanonicalTables::CanonicalTables(SQLite::Database& database, Packing packing, std::string_view dictionary,
                                 unsigned threads)
    : scope_(database, "INSERT INTO scope VALUES(?,?)"),
      scope_take_(database, "INSERT INTO scope_take VALUES(?,?,?,?,?)"),
      session_(database, "INSERT INTO session VALUES(?,?,?,?,?,?,?)"),
      mark_(database, "INSERT INTO mark VALUES(?,?,?,?)"),
      word_(database, "INSERT INTO word VALUES(?,?)"),
      header_set_(database, "INSERT INTO header_set VALUES(?,?)"),
      body_(database, "INSERT INTO body VALUES(?,?,?,?,?)"),
      operation_(database, "INSERT INTO operation VALUES(?,?,?,?,?,?)"),
      key_(database, "INSERT INTO key VALUES(?,?,?,?,?)"),
      request_(database, "INSERT INTO request VALUES(?,?,?,?,?,?,?)"),
      interaction_(database,
                   "INSERT INTO interaction VALUES"
                   "(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
      pace_(database, "INSERT INTO pace VALUES(?,?)"),
      redaction_(database, "INSERT INTO redaction VALUES(?,?,?,?,?,?,?,?,?,?,?)"),
      aside_(database, "INSERT INTO aside VALUES(?,?,?,?,?,?,?,?,?,?,?,?)"),
      line_(packing, dictionary, threads > 1) {
  if (!dictionary.empty()) Query(database, "INSERT INTO dictionary VALUES(1,?)").blob(dictionary).run();
}

std::int64_t CanonicalTables::word(std::string_view text) {
  const auto [found, is_new] = words_.try_emplace(std::string(text), static_cast<std::int64_t>(words_.size()) + 1);
  if (is_new) word_.integer(found->second).blob(text).run();
  return found->second;
}

std::int64_t CanonicalTables::header_set(const http::Headers& headers) {
  if (headers.empty()) return 0;
  const std::string text = headers.to_text();
  const auto slot = header_sets_.find(sha256_bytes(text));
  if (slot.is_new) header_set_.integer(slot.id).blob(text).run();
  return slot.id;
}

CanonicalTables::Content CanonicalTables::content_of(std::string_view body, std::string digest, Interned& known,
                                                     std::optional<std::int64_t> row) {
  if (digest.empty()) return {{}, 0, {0, false}};
  Content content{std::move(digest), body.size(), {}};
  content.holder = row ? known.find(content.digest, *row) : known.find(content.digest);
  if (content.holder.is_new) line_.give(body);
  return content;
}

std::int64_t CanonicalTables::request_body(std::string_view bytes, const Content& content) {
  if (content.holder.is_new) write_body(body_.integer(content.holder.id), bytes, content.digest);
  return content.holder.id;
}

void CanonicalTables::write_body(Query& row, std::string_view bytes, std::string_view digest) {
  const PackingLine::Packed packed = line_.take();
  row.integer(static_cast<std::int64_t>(bytes.size())).integer(static_cast<int>(packed.encoding));
  row.blob(digest).blob(packed.encoding == BodyEncoding::plain ? bytes : packed.bytes).run();
}

std::int64_t CanonicalTables::operation(std::string_view key_text) {
  const api::RequestKey key = api::RequestKey::parse(key_text);
  const std::string_view is_call = key.is_call ? "1" : "0";
  const auto slot =
      operations_.find(sha256_bytes(joined({is_call, key.api.label, key.api.rest, key.version, key.method})));
  if (slot.is_new) {
    operation_.integer(slot.id).integer(key.is_call).text(key.api.label).text(key.api.rest);
    operation_.text(key.version).text(key.method).run();
  }
  return slot.id;
}

void CanonicalTables::add_key(std::uint32_t scope, std::string_view text, bool has_holes) {
  key_.integer(++keys_).integer(scope).integer(operation(text)).integer(has_holes).text(text).run();
}

std::int64_t CanonicalTables::request(const Waiting& row) {
  const http::Request& request = row.record.request;
  const std::int64_t key = row.place.key, verb = word(request.method), headers = header_set(request.headers),
                     content = request_body(request.body, row.request);
  std::string numbers;
  for (const std::int64_t number : {key, verb, std::int64_t{request.minor_version}, headers, content}) {
    numbers += std::to_string(number) + ' ';
  }
  const auto slot = requests_.find(sha256_bytes(joined({numbers, request.target})));
  if (slot.is_new) {
    request_.integer(slot.id).integer(key).integer(verb).integer(request.minor_version);
    request_.integer(headers).integer(content).blob(request.target).run();
  }
  return slot.id;
}

void CanonicalTables::add_redactions(std::int64_t interaction, const scrubbers::InteractionRecord& record) {
  for (const scrubbers::Redaction& redaction : record.redactions) {
    const std::int64_t encoding = word(redaction.encoding), shape = word(redaction.shape), rule = word(redaction.rule);
    redaction_.integer(interaction).integer(static_cast<int>(redaction.part));
    redaction_.integer(static_cast<std::int64_t>(redaction.offset));
    redaction_.integer(static_cast<std::int64_t>(redaction.length));
    redaction_.integer(static_cast<int>(redaction.secret_class)).integer(static_cast<int>(redaction.whose));
    redaction_.integer(redaction.owner).integer(redaction.ordinal);
    redaction_.integer(encoding).integer(shape).integer(rule).run();
  }
}

void CanonicalTables::bind_address(const Waiting& row) {
  const Place& place = row.place;
  const SequenceHead head = row.begins.value_or(SequenceHead());
  interaction_.integer(place.id).integer(place.number);
  interaction_.blob(place.key_begins ? place.key_begins->view() : std::string_view());
  interaction_.integer(place.has_parts ? -std::int64_t{place.sequences} : std::int64_t{place.sequences});
  interaction_.integer(place.take).integer(place.step.lane).integer(place.position);
  interaction_.integer(head.count).integer(head.passed_over).integer(head.hidden);
  interaction_.integer(head.succeeded).integer(head.many_sessions).integer(place.step.divides);
}

void CanonicalTables::add(const Place& place, scrubbers::InteractionRecord record, const KnownBody* known) {
  Waiting& row = waiting_.emplace_back();
  row.place = place;
  if (place.begins) row.begins = *place.begins;
  row.record = std::move(record);
  waiting_bytes_ += row.record.request.body.size() + row.record.response.body.size();
  const auto digest_of = [](const std::string& body) { return body.empty() ? std::string() : sha256_bytes(body); };
  const std::string &asked = row.record.request.body, &answered = row.record.response.body;
  row.request = content_of(asked, digest_of(asked), request_bodies_, std::nullopt);
  row.answer = content_of(answered, known ? known->sha256 : digest_of(answered), answer_bodies_, place.id);
  if (known) row.answer.size = known->size;
  while (waiting_.size() > most_waiting || waiting_bytes_ > most_waiting_bytes) write_first();
}

void CanonicalTables::write_waiting() {
  while (!waiting_.empty()) write_first();
}

void CanonicalTables::write_first() {
  const Waiting& row = waiting_.front();
  waiting_bytes_ -= row.record.request.body.size() + row.record.response.body.size();
  write(row);
  waiting_.pop_front();
}

void CanonicalTables::write(const Waiting& row) {
  const Place& place = row.place;
  const scrubbers::InteractionRecord& record = row.record;
  const std::int64_t request_row = request(row);
  const std::int64_t phrase = word(record.response.reason), headers = header_set(record.response.headers);
  const std::int64_t reason = word(record.reason);
  const Interned::Slot& holder = row.answer.holder;
  bind_address(row);
  interaction_.blob(place.digest)
      .integer(record.session)
      .integer(record.account)
      .integer(place.ord)
      .integer(request_row);
  interaction_.integer(record.response.status).integer(phrase).integer(headers);
  interaction_.integer(holder.is_new ? 0 : holder.id);
  interaction_.optional(place.step.error_code);
  interaction_.integer(place.step.segment).integer(static_cast<int>(record.effect));
  interaction_.integer(static_cast<int>(record.completeness)).integer(record.ended_by_client);
  interaction_.integer(place.step.played()).integer(reason);
  interaction_.text(record.withheld_digest).integer(static_cast<std::int64_t>(record.withheld_bytes));
  interaction_.integer(record.started_us).optional(time_to_first_byte(record));
  interaction_.integer(record.ended_us - record.started_us);
  interaction_.integer(static_cast<std::int64_t>(record.redactions.size())).integer(parts_of(record.redactions));
  if (holder.is_new) {
    write_body(interaction_, record.response.body, row.answer.digest);
  } else {
    interaction_.integer(static_cast<std::int64_t>(row.answer.size)).integer(static_cast<int>(BodyEncoding::plain));
    interaction_.blob({}).blob({}).run();
  }
  if (!record.events.empty()) {
    const std::string events = pack_events(record.events, record.started_us);
    pace_.integer(place.id).blob(events).run();
  }
  add_redactions(place.id, record);
}

void CanonicalTables::add_asides(std::span<const AsidePlace> sequence) {
  const AsidePlace& first = sequence.front();
  const auto succeeds = [](const AsidePlace& one) { return one.succeeded; };
  const auto in_another = [&](const AsidePlace& one) { return one.session != first.session; };
  for (const AsidePlace& one : sequence) {
    const bool begins = &one == &first;
    aside_.integer(++asides_).blob(begins ? one.key->view() : std::string_view()).integer(one.take).integer(one.lane);
    aside_.integer(begins ? static_cast<std::int64_t>(sequence.size()) : 0);
    aside_.integer(begins && std::any_of(sequence.begin(), sequence.end(), succeeds));
    aside_.integer(begins && std::any_of(sequence.begin(), sequence.end(), in_another));
    aside_.integer(one.interaction).integer(one.aside.place).optional(one.aside.error_code);
    aside_.integer(one.aside.segment).integer(one.aside.divides()).run();
  }
}

void CanonicalTables::add_scope(std::uint32_t id, std::string_view name) { scope_.integer(id).text(name).run(); }

void CanonicalTables::add_scope_take(std::uint32_t scope, std::uint32_t take, std::uint32_t run, bool complete,
                                     std::uint32_t lanes) {
  scope_take_.integer(scope).integer(take).integer(run).integer(complete).integer(lanes).run();
}

void CanonicalTables::add_session(std::uint32_t take, std::uint32_t scope, std::uint32_t number, std::uint32_t account,
                                  const SessionSpan& span) {
  session_.integer(take).integer(scope).integer(number).integer(account);
  session_.integer(span.first_us).integer(span.last_us).integer(span.lane).run();
}

void CanonicalTables::add_mark(std::uint32_t take, std::uint32_t number, std::int64_t at_us, std::string_view name) {
  mark_.integer(take).integer(number).integer(at_us).text(name).run();
}

}  // namespace tapedeck::cassettes
