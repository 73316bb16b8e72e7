#include "cassettes/finish/canonical.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <tuple>

#include "base/digest.h"
#include "cassettes/file/cassette_error.h"
#include "cassettes/file/files.h"
#include "cassettes/file/interaction_id.h"
#include "cassettes/file/page_checksums.h"
#include "cassettes/file/rows.h"
#include "cassettes/file/schema.h"
#include "cassettes/finish/canonical_order.h"

namespace tapedeck::cassettes {

namespace {

constexpr int most_surveys = 4;

/// The rows of texts that have one already, by the first half of their SHA-256: constant space for each text.
using Interned = std::map<std::array<char, 16>, std::int64_t>;

/// Returns the time from the start to the first byte, or nothing if it is unknown.
std::optional<std::int64_t> time_to_first_byte(const scrubbers::InteractionRecord& record) {
  if (record.first_byte_us == 0) return std::nullopt;
  return std::clamp(record.first_byte_us, record.started_us, std::max(record.started_us, record.ended_us)) -
         record.started_us;
}

/// Returns the row of a text, and whether it is a new one. New texts are numbered from 1.
std::pair<std::int64_t, bool> row_of_text(Interned& known, std::string_view sha256) {
  std::array<char, 16> digest{};
  std::copy_n(sha256.begin(), digest.size(), digest.begin());
  const auto [found, is_new] = known.try_emplace(digest, static_cast<std::int64_t>(known.size()) + 1);
  return {found->second, is_new};
}

/// Writes the rows of a survey, each table in the order of its primary key.
class Canonicalizer {
 public:
  /// Requires that `target` has the tables of a cassette.
  Canonicalizer(Survey& survey, SQLite::Database& target, const CanonicalOptions& options)
      : survey_(survey),
        target_(target),
        options_(options),
        order_(survey, options),
        headers_(target, "INSERT INTO headers VALUES(?,?)"),
        body_(target, "INSERT INTO body VALUES(?,?,?,?)"),
        interaction_(target, "INSERT INTO interaction VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)"),
        details_(target) {}

  void run(FinishReport& report) {
    choose_reported();
    write_takes();
    write_scopes();
    write_accounts();
    write_sessions();
    write_marks();
    write_keys();
    write_sequences();
    for (std::size_t row = 0; row < survey_.rows.size(); ++row) write_row(row);
    report.interactions = survey_.rows.size();
    report.scrubbed_late = survey_.scrubbed_late;
    report.unverified = order_.unverified;
    report.scrubbed_again = std::move(scrubbed_again_);
    report.conflicts = order_.conflicts;
  }

 private:
  void choose_reported();
  void write_takes();
  [[nodiscard]] bool is_withheld(const char* table, std::int64_t row) const {
    return options_.withheld.texts.contains({table, row});
  }
  void write_scopes();
  void write_accounts();
  void write_sessions();
  void write_marks();
  void write_keys();
  void write_sequences();
  void write_row(std::size_t number);
  void write_interaction(std::size_t number, const scrubbers::InteractionRecord& record);
  [[nodiscard]] std::int64_t header_set(const http::Headers& headers);
  [[nodiscard]] std::int64_t body(std::string_view bytes);

  Survey& survey_;
  SQLite::Database& target_;
  const CanonicalOptions& options_;
  const CanonicalOrder order_;
  Query headers_, body_, interaction_;
  DetailRows details_;
  Interned header_sets_, bodies_;
  std::uint64_t bytes_ = 0;
  std::vector<const Row*> reported_;           ///< the first interactions that changed when they were scrubbed again
  std::vector<ScrubbedAgain> scrubbed_again_;  ///< the changes to each of them, in the order of `ls`
};

void Canonicalizer::choose_reported() {
  for (const Row& row : survey_.rows) {
    if (row.changed) reported_.push_back(&row);
  }
  const auto last = reported_.begin() + static_cast<std::ptrdiff_t>(std::min(reported_.size(), most_scrubbed_again));
  std::partial_sort(reported_.begin(), last, reported_.end(), [&](const Row* a, const Row* b) {
    return std::tuple(order_.key_row(*a), a) < std::tuple(order_.key_row(*b), b);
  });
  reported_.erase(last, reported_.end());
  scrubbed_again_.resize(reported_.size());
}

void Canonicalizer::write_takes() {
  for (Take take : order_.takes) {
    if (is_withheld("take", take.number)) take.device = take.note = take.model = take.firmware = {};
    insert_take(target_, take);
  }
}

void Canonicalizer::write_scopes() {
  Query scope(target_, "INSERT INTO scope VALUES(?,?)");
  for (std::uint32_t row = 1; row < order_.scopes.size(); ++row) {
    const std::string withheld = "withheld " + std::to_string(row);
    scope.integer(row).text(is_withheld("scope", row) ? withheld : survey_.scopes[order_.scopes[row]]).run();
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, KeptRun> parts;
  for (const auto& [part, kept] : survey_.parts) parts[{order_.scope_rows[part.second], part.first}] = kept;
  Query scope_take(target_, "INSERT INTO scope_take VALUES(?,?,?,?,?)");
  for (const auto& [part, kept] : parts) {
    const auto lanes = order_.lanes.find({part.second, part.first});
    scope_take.integer(part.first).integer(part.second).integer(kept.run).integer(kept.complete);
    scope_take.integer(lanes == order_.lanes.end() ? 0 : lanes->second.count).run();
  }
}

void Canonicalizer::write_accounts() {
  Query query(target_, "INSERT INTO account VALUES(?,?,?,?)");
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::optional<std::uint8_t>> used;
  for (const Row& row : survey_.rows) {
    const std::uint32_t number = row.step.account;
    if (number == 0) continue;
    const auto [found, is_new] = used.try_emplace({row.take, order_.scope_rows[row.scope], number});
    if (is_new) found->second = survey_.check_of({row.take, row.scope}, number);
  }
  for (const auto& [name, check] : used) {
    const auto& [take, scope, number] = name;
    query.integer(take).integer(scope).integer(number).optional(check).run();
  }
}

void Canonicalizer::write_sessions() {
  Query session(target_, "INSERT INTO session VALUES(?,?,?,?,?,?,?)");
  for (const auto& [part, lanes] : order_.lanes) {
    for (const auto& [number, span] : lanes.sessions) {
      const std::uint32_t account = survey_.account({part.first, order_.scopes[part.second]}, number);
      session.integer(part.first).integer(part.second).integer(number).integer(account);
      session.integer(span.lane).integer(span.first_us).integer(span.last_us).run();
    }
  }
}

void Canonicalizer::write_marks() {
  Query query(target_, "INSERT INTO mark VALUES(?,?,?,?)");
  std::uint32_t take = 0, number = 0;
  std::int64_t row = 0;
  for (const Mark& mark : survey_.marks) {
    number = mark.take == take ? number + 1 : 1;
    take = mark.take;
    query.integer(take).integer(number).integer(mark.at_us);
    query.text(is_withheld("mark", ++row) ? "withheld" : mark.name).run();
  }
}

void Canonicalizer::write_keys() {
  Query query(target_, "INSERT INTO key VALUES(?,?,?,?,?,?,?,?,?,?,?)");
  std::int64_t number = 0;
  for (const KeyRow& row : order_.keys) {
    const api::RequestKey key = api::RequestKey::parse(row.text);
    const auto kind = row.is_part ? KeyKind::part : key.is_call ? KeyKind::call : KeyKind::other;
    query.integer(++number).integer(row.scope).integer(static_cast<int>(kind)).text(key.prefix);
    query.text(key.api.label).text(key.api.rest).text(key.version).text(key.method).text(key.item_text());
    query.integer(row.has_holes).text(row.text).run();
  }
}

void Canonicalizer::write_sequences() {
  Query query(target_, "INSERT INTO sequence VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
  Query entries(target_, "INSERT INTO sequence_entry VALUES(?,?,?,?,?,?,?)");
  std::int64_t number = 0;
  for (const SequenceRow& row : order_.sequences) {
    const auto played = std::span(row.entries).first(row.count);
    const SequenceEntry& first = row.entries.front();
    const auto succeeds = [](const SequenceEntry& entry) { return entry.succeeded; };
    const auto in_another = [&](const SequenceEntry& entry) { return entry.session != first.session; };
    query.integer(++number).integer(static_cast<int>(row.kind)).integer(row.key).text(row.secrets);
    query.integer(row.take).integer(row.lane).integer(row.account).integer(row.count);
    query.integer(row.passed_over).integer(row.hidden);
    query.integer(std::any_of(played.begin(), played.end(), succeeds));
    query.integer(std::any_of(played.begin(), played.end(), in_another)).integer(row.is_ambiguous);
    query.optional(first.error_code).run();
    std::int64_t position = 0;
    for (const SequenceEntry& entry : row.entries) {
      entries.integer(number).integer(position++).integer(entry.interaction).integer(entry.place);
      entries.integer(entry.segment).integer(entry.divides).optional(entry.error_code).run();
    }
  }
}

void Canonicalizer::write_row(std::size_t number) {
  const Row& row = survey_.rows[number];
  ScrubbedAgain change;
  const auto reported = row.changed ? std::find(reported_.begin(), reported_.end(), &row) : reported_.end();
  const scrubbers::InteractionRecord record = survey_.load(row, reported != reported_.end() ? &change : nullptr);
  if (record.key.text != order_.keys[static_cast<std::size_t>(order_.key_row(row)) - 1].text) {
    throw Damage("an interaction changed while it was read");
  }
  write_interaction(number, record);
  if (reported != reported_.end()) {
    change.id = base::to_hex({row.digest.data(), row.digest.size()});
    scrubbed_again_[static_cast<std::size_t>(reported - reported_.begin())] = std::move(change);
  }
  bytes_ += record.request.target.size() + record.request.body.size() + record.response.body.size();
  options_.progress("writing", bytes_, survey_.bytes);
}

void Canonicalizer::write_interaction(std::size_t number, const scrubbers::InteractionRecord& record) {
  const Row& row = survey_.rows[number];
  const auto id = static_cast<std::int64_t>(number) + 1;
  const http::Request& request = record.request;
  const http::Response& response = record.response;
  const std::int64_t request_headers = header_set(request.headers), request_body = body(request.body);
  const std::int64_t headers = header_set(response.headers), response_body = body(response.body);
  interaction_.integer(id).blob({row.digest.data(), row.digest.size()}).integer(row.take).integer(row.ord);
  interaction_.integer(row.step.lane).integer(record.session).integer(record.account);
  interaction_.integer(order_.key_row(row)).integer(order_.positions[number]);
  interaction_.text(request.method).any(request.target).integer(request.minor_version);
  interaction_.integer(request_headers).integer(request_body);
  interaction_.integer(response.status).any(response.reason).integer(headers).integer(response_body);
  interaction_.optional(row.step.error_code).integer(static_cast<int>(record.effect));
  interaction_.integer(static_cast<int>(record.completeness)).text(record.reason).text(record.withheld_digest);
  interaction_.integer(static_cast<std::int64_t>(record.withheld_bytes)).integer(record.ended_by_client);
  interaction_.integer(record.started_us).optional(time_to_first_byte(record));
  interaction_.integer(record.ended_us - record.started_us).run();
  details_.write(id, record);
}

std::int64_t Canonicalizer::header_set(const http::Headers& headers) {
  if (headers.empty()) return 0;
  const std::string text = headers.to_text();
  const auto [row, is_new] = row_of_text(header_sets_, sha256_bytes(text));
  if (is_new) headers_.integer(row).any(text).run();
  return row;
}

std::int64_t Canonicalizer::body(std::string_view bytes) {
  if (bytes.empty()) return 0;
  const std::string sha256 = sha256_bytes(bytes);
  const auto [row, is_new] = row_of_text(bodies_, sha256);
  if (is_new) body_.integer(row).integer(static_cast<std::int64_t>(bytes.size())).blob(sha256).any(bytes).run();
  return row;
}

/// Reserves the stored numbers, so that the scrubber's new numbers differ from them.
void reserve_numbers(const MaterialHead& head, SQLite::Database* recording, scrubbers::Scrubber& scrubber) {
  scrubber.reserve_numbers(head.highest_session, head.highest_account);
  if (!recording) return;
  Query query(*recording, "SELECT ifnull(max(session), 0), ifnull(max(account), 0) FROM recorded");
  if (query.step()) scrubber.reserve_numbers(query.small(0), query.small(1));
}

/// Reads and scrubs all material. If scrubbing learns new values, earlier material is checked again.
std::unique_ptr<Survey> stable_survey(Material& material, const MaterialHead& head, SQLite::Database* recording,
                                      const CanonicalOptions& options) {
  std::unique_ptr<Survey> survey;
  scrubbers::Scrubber* const scrubber = options.finish.scrubber;
  if (scrubber) reserve_numbers(head, recording, *scrubber);
  for (int i = 0; i < most_surveys; ++i) {
    const std::uint64_t before = scrubber ? scrubber->generation() : 0;
    survey = std::make_unique<Survey>(material, head, recording, options);
    if (!scrubber || scrubber->generation() == before) break;
  }
  return survey;
}

Fingerprints allowed_from_now_on(Fingerprints allowed, const FinishOptions& options) {
  allowed.insert(options.allow.begin(), options.allow.end());
  for (const std::string& fingerprint : options.disallow) allowed.erase(fingerprint);
  if (allowed.size() > most_allowed) {
    throw CassetteError(CassetteError::Kind::io,
                        "at most " + std::to_string(most_allowed) + " findings can be allowed in one cassette");
  }
  return allowed;
}

void prepare_target(SQLite::Database& target) {
  target.exec("PRAGMA page_size=" + std::to_string(page_size));
  int reserved = checksum_size;
  sqlite3_file_control(target.getHandle(), "main", SQLITE_FCNTL_RESERVE_BYTES, &reserved);
  // Fills the new file. It is removed if anything fails, and is otherwise synced by the caller.
  target.exec(
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-32768");
}

}  // namespace

Fingerprints canonicalize(Material& material, SQLite::Database* recording, const std::string& destination,
                          CanonicalOptions options, FinishReport& report) {
  const MaterialHead head = material.head();
  Fingerprints allowed = allowed_from_now_on(head.allowed, options.finish);
  if (options.finish.scrubber) options.first_generation = options.finish.scrubber->generation();
  // One read transaction for all statements, because each statement alone would take locks of its own.
  std::optional<Query> reading;
  if (recording) static_cast<void>(reading.emplace(*recording, "SELECT 1 FROM sqlite_schema").step());
  const std::unique_ptr<Survey> survey = stable_survey(material, head, recording, options);
  create_file(destination).close();
  {
    SQLite::Database target(destination, SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX);
    prepare_target(target);
    SQLite::Transaction transaction(target);
    create_tables(target, Schema::cassette);
    insert_allowed(target, allowed);
    Canonicalizer(*survey, target, options).run(report);
    create_indexes(target);
    transaction.commit();
  }
  seal_pages(open_file(destination, true), destination);
  return allowed;
}

}  // namespace tapedeck::cassettes
