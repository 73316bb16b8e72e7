#include "cassettes/finish/canonical.h"

#include <sqlite3.h>

#include <algorithm>
#include <tuple>

#include "base/digest.h"
#include "cassettes/file/cassette_error.h"
#include "cassettes/file/files.h"
#include "cassettes/file/page_checksums.h"
#include "cassettes/file/schema.h"
#include "cassettes/finish/canonical_order.h"
#include "cassettes/finish/canonical_tables.h"

namespace tapedeck::cassettes {

namespace {

constexpr int most_surveys = 4;

/// Writes the rows of a survey in their canonical order.
class Canonicalizer {
 public:
  Canonicalizer(Survey& survey, SQLite::Database& target, const CanonicalOptions& options)
      : survey_(survey), target_(target), options_(options), order_(survey, options) {}

  void run() {
    choose_reported();
    CanonicalTables tables(target_);
    write_takes();
    write_scopes(tables);
    write_sessions(tables);
    write_marks(tables);
    for (const KeyRow& key : order_.keys()) tables.add_key(key);
    for (const SequenceRow& sequence : order_.sequences()) tables.add_sequence(sequence);
    for (std::size_t row = 0; row < survey_.rows().size(); ++row) write_row(tables, row);
  }
  [[nodiscard]] std::uint64_t unverified() const { return order_.unverified(); }
  [[nodiscard]] const std::vector<Conflict>& conflicts() const { return order_.conflicts(); }
  /// Returns the changes in the order of `ls`.
  [[nodiscard]] std::vector<ScrubbedAgain> take_scrubbed_again() { return std::move(scrubbed_again_); }

 private:
  void choose_reported();
  void write_takes();
  [[nodiscard]] bool is_withheld(const char* table, std::int64_t row) const {
    return options_.withhold_texts.contains({table, row});
  }
  void write_scopes(CanonicalTables& tables);
  void write_sessions(CanonicalTables& tables);
  void write_marks(CanonicalTables& tables);
  void write_row(CanonicalTables& tables, std::size_t number);

  Survey& survey_;
  SQLite::Database& target_;
  const CanonicalOptions& options_;
  const CanonicalOrder order_;
  std::uint64_t bytes_ = 0;
  std::vector<const Row*> reported_;           ///< the first interactions that changed when they were scrubbed again
  std::vector<ScrubbedAgain> scrubbed_again_;  ///< the changes to each of them
};

void Canonicalizer::choose_reported() {
  for (const Row& row : survey_.rows()) {
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
  for (TakeRow take : order_.takes()) {
    if (is_withheld("take", take.number)) take.note = take.model = take.firmware = {};
    insert_take(target_, take);
  }
}

void Canonicalizer::write_scopes(CanonicalTables& tables) {
  for (std::uint32_t row = 1; row < order_.scopes().size(); ++row) {
    const std::string& name = survey_.scopes()[order_.scopes()[row]];
    tables.add_scope(row, is_withheld("scope", row) ? "withheld " + std::to_string(row) : name);
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, RecordedScopes::Kept> parts;
  for (const auto& [part, kept] : survey_.parts()) parts[{order_.scope_row(part.second), part.first}] = kept;
  for (const auto& [part, kept] : parts) {
    const auto lanes = order_.lanes().find({part.second, part.first});
    tables.add_scope_take(part.first, part.second, kept.run, kept.complete,
                          lanes == order_.lanes().end() ? 0 : lanes->second.count);
  }
}

void Canonicalizer::write_sessions(CanonicalTables& tables) {
  for (const auto& [part, lanes] : order_.lanes()) {
    for (const auto& [number, span] : lanes.sessions) {
      const std::uint32_t account = survey_.account({part.first, order_.scopes()[part.second]}, number);
      tables.add_session(part.first, part.second, number, account, span);
    }
  }
}

void Canonicalizer::write_marks(CanonicalTables& tables) {
  std::uint32_t take = 0, number = 0;
  std::int64_t row = 0;
  for (const Mark& mark : survey_.marks()) {
    number = mark.take == take ? number + 1 : 1;
    take = mark.take;
    tables.add_mark(take, number, mark.at_us, is_withheld("mark", ++row) ? "withheld" : mark.name);
  }
}

void Canonicalizer::write_row(CanonicalTables& tables, std::size_t number) {
  const Row& row = survey_.rows()[number];
  ScrubbedAgain change;
  const auto reported = row.changed ? std::find(reported_.begin(), reported_.end(), &row) : reported_.end();
  const scrubbers::InteractionRecord record = survey_.load(row, reported != reported_.end() ? &change : nullptr);
  CanonicalTables::Place place;
  place.name = {row.digest.data(), row.digest.size()};
  place.key = order_.key_row(row);
  place.position = order_.position(number);
  place.take = row.take;
  place.ord = row.ord;
  place.lane = row.step.lane;
  place.error_code = row.step.error_code;
  if (record.key.text != order_.keys()[static_cast<std::size_t>(place.key) - 1].text) {
    throw Damage("an interaction changed while it was read");
  }
  tables.add(place, record);
  if (reported != reported_.end()) {
    change.id = base::to_hex(place.name);
    scrubbed_again_[static_cast<std::size_t>(reported - reported_.begin())] = std::move(change);
  }
  bytes_ += record.request.target.size() + record.request.body.size() + record.response.body.size();
  options_.progress("writing", bytes_, survey_.bytes());
}

/// Reserves the stored numbers, so that the scrubber's new numbers differ from them.
void reserve_numbers(Material& material, SQLite::Database* recording, scrubbers::Scrubber& scrubber) {
  const Material::Numbers highest = material.highest();
  scrubber.reserve_numbers(highest.session, highest.account);
  if (!recording) return;
  Query query(*recording, "SELECT ifnull(max(session), 0), ifnull(max(account), 0) FROM recorded");
  if (query.step()) scrubber.reserve_numbers(query.small(0), query.small(1));
}

/// Reads and scrubs all material. If scrubbing learns new values, earlier material is checked again.
std::unique_ptr<Survey> stable_survey(Material& material, SQLite::Database* recording,
                                      const CanonicalOptions& options) {
  std::unique_ptr<Survey> survey;
  if (options.scrubber) reserve_numbers(material, recording, *options.scrubber);
  for (int i = 0; i < most_surveys; ++i) {
    const std::uint64_t before = options.scrubber ? options.scrubber->generation() : 0;
    survey = std::make_unique<Survey>(material, recording, options);
    if (!options.scrubber || options.scrubber->generation() == before) break;
  }
  return survey;
}

Fingerprints allowed_from_now_on(Material& material, const CanonicalOptions& options) {
  Fingerprints allowed = material.allowed();
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

CanonicalResult canonicalize(Material& material, SQLite::Database* recording, const std::string& destination,
                             CanonicalOptions options) {
  Fingerprints allowed = allowed_from_now_on(material, options);
  if (options.scrubber) options.first_generation = options.scrubber->generation();
  // One read transaction for all statements, because each statement alone would take locks of its own.
  std::optional<Query> reading;
  if (recording) static_cast<void>(reading.emplace(*recording, "SELECT 1 FROM sqlite_schema").step());
  const std::unique_ptr<Survey> survey = stable_survey(material, recording, options);
  create_file(destination).close();
  CanonicalResult result;
  {
    SQLite::Database target(destination, SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX);
    prepare_target(target);
    SQLite::Transaction transaction(target);
    create_tables(target, Schema::cassette);
    insert_allowed(target, allowed);
    Canonicalizer canonicalizer(*survey, target, options);
    canonicalizer.run();
    create_indexes(target);
    transaction.commit();
    result = {survey->rows().size(),      survey->scrubbed_late(),
              canonicalizer.unverified(), canonicalizer.take_scrubbed_again(),
              canonicalizer.conflicts(),  std::move(allowed)};
  }
  seal_pages(open_file(destination, true), destination);
  return result;
}

}  // namespace tapedeck::cassettes
