#include "cassettes/finish/canonical.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>

#include "base/digest.h"
#include "cassettes/file/cassette_error.h"
#include "cassettes/file/files.h"
#include "cassettes/finish/canonical_order.h"
#include "cassettes/finish/canonical_tables.h"
#include "cassettes/finish/stored_material.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::size_t most_samples = 500;
constexpr std::size_t longest_sample = 16384;
constexpr int most_surveys = 4;
// Below these the pages of the file are tiny or small.
constexpr std::uint64_t tiny_content = 1u << 20;
constexpr std::uint64_t small_content = 8u << 20;
constexpr std::uint64_t small_interaction = 8u << 10;
// More than replay keeps unpacked: answers are unpacked each time that they are asked for.
constexpr std::uint64_t large_content = 16u << 20;

bool same_sequence(const Row& a, const Row& b) {
  return a.step.key == b.step.key && a.take == b.take && a.step.lane == b.step.lane;
}

using RowAt = std::vector<Row>::const_iterator;

RowAt end_of_key(RowAt first, RowAt last) {
  return std::find_if(first, last, [&](const Row& row) { return row.step.key != first->step.key; });
}

RowAt end_of_sequence(RowAt first, RowAt last) {
  return std::find_if(first, last, [&](const Row& row) { return !same_sequence(row, *first); });
}

std::uint32_t sequences_in(RowAt first, RowAt last) {
  std::uint32_t sequences = 0;
  for (; first != last; first = end_of_sequence(first, last)) ++sequences;
  return sequences;
}

SequenceHead head_of(RowAt first, RowAt last) {
  SequenceHead head;
  for (RowAt row = first; row != last; ++row) {
    if (!row->step.played()) {
      ++(row->step.complete() ? head.passed_over : head.hidden);
      continue;
    }
    // The played ones come first.
    head.many_sessions |= row->step.session != first->step.session;
    head.succeeded |= row->says_success;
    ++head.count;
  }
  return head;
}

/// Writes the rows of a survey in their canonical order.
class Canonicaliser {
 public:
  Canonicaliser(Survey& survey, SQLite::Database& target, const CanonicalOptions& options)
      : survey_(survey), target_(target), options_(options), order_(survey, options) {}

  void run() {
    choose_told();
    find_played_parts();
    const Packing packing = survey_.bytes() < large_content ? Packing::small : Packing::fast;
    CanonicalTables tables(target_, packing, train_dictionary(samples()), options_.threads);
    write_scopes(tables);
    write_sessions(tables);
    write_keys(tables);
    write_interactions(tables);
    tables.write_waiting();
    write_asides(tables);
    for (const TakeRow& take : order_.takes()) insert_take(target_, take);
    write_marks(tables);
  }
  [[nodiscard]] std::uint64_t unverified() const { return order_.unverified(); }
  /// In the order of `ls`.
  [[nodiscard]] std::vector<ScrubbedAgain> take_scrubbed_again() { return std::move(scrubbed_again_); }

 private:
  void choose_told();
  void find_played_parts();
  [[nodiscard]] std::vector<std::string> samples();
  void write_scopes(CanonicalTables& tables);
  void write_sessions(CanonicalTables& tables);
  void write_marks(CanonicalTables& tables);
  void write_keys(CanonicalTables& tables);
  void write_interactions(CanonicalTables& tables);
  void write_asides(CanonicalTables& tables);
  void note_asides(const Row& row, std::int64_t id);
  void write_key(CanonicalTables& tables, RowAt first, RowAt last);
  void write_sequence(CanonicalTables& tables, Place& place, RowAt first, RowAt last);
  void write_row(CanonicalTables& tables, const Place& place, const Row& row);
  [[nodiscard]] const std::string& text_of(const Row& row) const {
    return survey_.keys()[order_.keys()[row.step.key].index].text;
  }

  Survey& survey_;
  SQLite::Database& target_;
  const CanonicalOptions& options_;
  const CanonicalOrder order_;
  std::int64_t next_row_ = 1;
  std::int64_t next_number_ = 1;
  std::uint64_t bytes_ = 0;
  std::vector<AsidePlace> asides_;
  std::vector<bool> played_parts_;             ///< by Aside::key: one that has a row
  std::vector<const Row*> told_;               ///< the first ones that scrubbing again changed
  std::vector<ScrubbedAgain> scrubbed_again_;  ///< what it did to each of them
};

void Canonicaliser::choose_told() {
  for (const Row& row : survey_.rows()) {
    if (row.changed) told_.push_back(&row);
  }
  const auto last = told_.begin() + static_cast<std::ptrdiff_t>(std::min(told_.size(), most_scrubbed_again));
  // Rows of one key stand in their order already.
  std::partial_sort(told_.begin(), last, told_.end(), [&](const Row* a, const Row* b) {
    return std::tuple(order_.keys()[a->step.key].in_text, a) < std::tuple(order_.keys()[b->step.key].in_text, b);
  });
  told_.erase(last, told_.end());
  scrubbed_again_.resize(told_.size());
}

void Canonicaliser::find_played_parts() {
  played_parts_.resize(survey_.aside_keys().size());
  for (const Row& row : survey_.rows()) {
    for (std::uint32_t i = 0; i < row.step.asides; ++i) {
      const Aside& aside = survey_.asides()[row.step.first_aside + i];
      if (!aside.passed_over) played_parts_[aside.key] = true;
    }
  }
}

/// Bodies spread evenly over the cassette, each once.
std::vector<std::string> Canonicaliser::samples() {
  const auto& rows = survey_.rows();
  const std::size_t step = rows.size() / most_samples + 1;
  std::unordered_set<std::string> seen;
  std::vector<std::string> samples;
  for (std::size_t i = 0; i < rows.size(); i += step) {
    std::string body = survey_.load(rows[i]).response.body;
    if (body.empty() || !seen.insert(sha256_bytes(body)).second) continue;
    body.resize(std::min(body.size(), longest_sample));
    samples.push_back(std::move(body));
  }
  return samples;
}

void Canonicaliser::write_scopes(CanonicalTables& tables) {
  for (std::uint32_t row = 1; row < order_.scopes().size(); ++row) {
    tables.add_scope(row, survey_.scopes()[order_.scopes()[row]]);
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, RecordedScopes::Kept> parts;
  for (const auto& [part, kept] : survey_.parts()) parts[{order_.scope_row(part.second), part.first}] = kept;
  for (const auto& [part, kept] : parts) {
    const auto lanes = order_.lanes().find({part.second, part.first});
    tables.add_scope_take(part.first, part.second, kept.run, kept.complete,
                          lanes == order_.lanes().end() ? 0 : lanes->second.count);
  }
}

void Canonicaliser::write_sessions(CanonicalTables& tables) {
  for (const auto& [part, lanes] : order_.lanes()) {
    for (const auto& [number, span] : lanes.sessions) {
      const std::uint32_t account = survey_.account({part.first, order_.scopes()[part.second]}, number);
      tables.add_session(part.first, part.second, number, account, span);
    }
  }
}

void Canonicaliser::write_marks(CanonicalTables& tables) {
  std::uint32_t take = 0, number = 0;
  for (const Mark& mark : survey_.marks()) {
    number = mark.take == take ? number + 1 : 1;
    take = mark.take;
    tables.add_mark(take, number, mark.at_us, mark.name);
  }
}

void Canonicaliser::write_keys(CanonicalTables& tables) {
  std::vector<const CanonicalOrder::Key*> in_text(order_.keys().size());
  for (const CanonicalOrder::Key& key : order_.keys()) in_text[key.in_text] = &key;
  for (const CanonicalOrder::Key* key : in_text) {
    const Survey::Key& text = survey_.keys()[key->index];
    tables.add_key(order_.scope_row(text.scope), text.text, key->has_holes);
  }
}

void Canonicaliser::write_row(CanonicalTables& tables, const Place& place, const Row& row) {
  ScrubbedAgain change;
  const auto told = row.changed ? std::find(told_.begin(), told_.end(), &row) : told_.end();
  const KnownBody* known = survey_.known_body(row);
  const bool is_written = known && tables.has_answer(known->sha256);
  scrubbers::InteractionRecord record = survey_.load(row, told != told_.end() ? &change : nullptr, !is_written);
  if (record.key.text != text_of(row)) throw Damage("an interaction changed while it was read");
  bytes_ += record.request.target.size() + record.request.body.size();
  bytes_ += known ? known->size : record.response.body.size();
  tables.add(place, std::move(record), known);
  if (told != told_.end()) {
    change.id = base::to_hex(std::string_view(row.digest.data(), row.digest.size()));
    scrubbed_again_[static_cast<std::size_t>(told - told_.begin())] = std::move(change);
  }
  options_.progress("writing", bytes_, survey_.bytes());
}

/// `place` says what is the same for all rows of the key, and of the first one what it says of the key.
void Canonicaliser::write_sequence(CanonicalTables& tables, Place& place, RowAt first, RowAt last) {
  const SequenceHead head = head_of(first, last);
  for (RowAt row = first; row != last; ++row) {
    place.id = next_row_++;
    place.number = next_number_++;
    place.begins = row == first ? &head : nullptr;
    place.position = static_cast<std::uint32_t>(row - first);
    place.take = row->take;
    place.ord = row->ord;
    place.digest = {row->digest.data(), row->digest.size()};
    place.step = row->step;
    write_row(tables, place, *row);
    note_asides(*row, place.id);
    place.key_begins = nullptr;
    place.sequences = 0;
    place.has_parts = false;
  }
}

void Canonicaliser::write_key(CanonicalTables& tables, RowAt first, RowAt last) {
  const CanonicalOrder::Key& key = order_.keys()[first->step.key];
  const std::int64_t begin = first_row(key.hash);
  next_row_ = std::max(next_row_, begin);
  if (next_row_ - begin + (last - first) > most_places) {
    throw CassetteError(CassetteError::Kind::io, "a cassette holds no more than " + std::to_string(most_places) +
                                                     " interactions of one key: " + text_of(*first));
  }
  Place place;
  place.key = key.in_text + 1;
  place.key_begins = &key.hash;
  place.sequences = sequences_in(first, last);
  place.has_parts = first->step.part != 0 && played_parts_[first->step.part - 1];
  while (first != last) {
    const RowAt end = end_of_sequence(first, last);
    write_sequence(tables, place, first, end);
    first = end;
  }
}

void Canonicaliser::write_interactions(CanonicalTables& tables) {
  const std::vector<Row>& rows = survey_.rows();
  for (RowAt first = rows.begin(); first != rows.end();) {
    const RowAt last = end_of_key(first, rows.end());
    write_key(tables, first, last);
    first = last;
  }
}

void Canonicaliser::note_asides(const Row& row, std::int64_t id) {
  for (std::uint32_t i = 0; i < row.step.asides; ++i) {
    const Aside& aside = survey_.asides()[row.step.first_aside + i];
    if (aside.passed_over) continue;
    AsidePlace place;
    place.key = &survey_.aside_keys()[aside.key];
    place.take = row.take;
    place.ord = row.ord;
    place.interaction = id;
    place.lane = row.step.lane;
    place.session = row.step.session;
    place.succeeded = aside.error_code ? *aside.error_code == 0 : row.says_success;
    place.aside = aside;
    asides_.push_back(place);
  }
}

void Canonicaliser::write_asides(CanonicalTables& tables) {
  std::sort(asides_.begin(), asides_.end(), [](const AsidePlace& a, const AsidePlace& b) {
    return std::tie(*a.key, a.take, a.lane, a.ord, a.aside.place) <
           std::tie(*b.key, b.take, b.lane, b.ord, b.aside.place);
  });
  for (auto first = asides_.begin(); first != asides_.end();) {
    const auto last = std::find_if(first, asides_.end(), [&](const AsidePlace& one) {
      return *one.key != *first->key || one.take != first->take || one.lane != first->lane;
    });
    tables.add_asides({first, last});
    first = last;
  }
}

/// What the scrubber numbers anew must not meet the numbers that are stored.
void reserve_numbers(Material& material, SQLite::Database* recording, scrubbers::Scrubber& scrubber) {
  const Material::Numbers highest = material.highest();
  scrubber.reserve_numbers(highest.session, highest.account);
  if (!recording) return;
  Query query(*recording, "SELECT ifnull(max(session), 0), ifnull(max(account), 0) FROM recorded");
  if (query.step()) scrubber.reserve_numbers(query.small(0), query.small(1));
}

/// Scrubbing may learn; then what was read before has to be looked at once more.
std::unique_ptr<Survey> settled_survey(Material& material, SQLite::Database* recording,
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
                        "no more than " + std::to_string(most_allowed) + " findings can be allowed in one cassette");
  }
  return allowed;
}

std::uint32_t page_size_for(Survey& survey) {
  if (survey.bytes() < tiny_content) return tiny_page_size;
  const bool small = survey.bytes() < small_content || survey.bytes() / survey.rows().size() < small_interaction;
  return small ? small_page_size : large_page_size;
}

CanonicalResult canonicalise(Material& material, SQLite::Database* recording, const std::string& destination,
                             CanonicalOptions options) {
  Fingerprints allowed = allowed_from_now_on(material, options);
  if (options.scrubber) options.first_generation = options.scrubber->generation();
  const std::unique_ptr<Survey> survey = settled_survey(material, recording, options);
  create_file(destination).close();
  SQLite::Database target(destination, SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX);
  target.exec("PRAGMA page_size=" + std::to_string(page_size_for(*survey)));
  // The file is thrown away when anything fails, and synced by the caller when nothing does.
  target.exec(
      "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; PRAGMA cache_size=-32768");
  SQLite::Transaction transaction(target);
  create_schema(target);
  insert_allowed(target, allowed);
  Canonicaliser canonicaliser(*survey, target, options);
  canonicaliser.run();
  create_indexes(target);
  transaction.commit();
  return {survey->rows().size(), survey->scrubbed_late(), canonicaliser.unverified(),
          canonicaliser.take_scrubbed_again(), std::move(allowed)};
}

}  // namespace

CanonicalResult canonicalise(Material& material, const std::string& destination, const CanonicalOptions& options) {
  return canonicalise(material, nullptr, destination, options);
}

CanonicalResult canonicalise(SQLite::Database& source, State state, const std::string& destination,
                             const CanonicalOptions& options) {
  StoredMaterial material(source);
  // One transaction for all that is read: otherwise each row has its own, with its own locks.
  Query reading(source, "SELECT 1 FROM sqlite_schema");
  static_cast<void>(reading.step());
  return canonicalise(material, state == State::recording ? &source : nullptr, destination, options);
}

}  // namespace tapedeck::cassettes
