#include "cassettes/finish/canonical.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <unordered_set>

#include "base/digest.h"
#include "cassettes/file/cassette_error.h"
#include "cassettes/file/files.h"
#include "cassettes/file/interaction_id.h"
#include "cassettes/finish/canonical_tables.h"

namespace tapedeck::cassettes {

namespace {

constexpr std::size_t most_samples = 500;
constexpr std::size_t longest_sample = 16384;
constexpr int most_surveys = 4;
constexpr std::uint64_t small_content = 8u << 20;
constexpr std::uint64_t small_interaction = 8u << 10;
// More than replay keeps unpacked: answers are unpacked each time that they are asked for.
constexpr std::uint64_t large_content = 16u << 20;

/// Played ones come first, then those passed over, then the hidden ones.
int standing(const Step& step) { return step.played() ? 0 : step.complete() ? 1 : 2; }

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

class Canonicaliser {
 public:
  Canonicaliser(Survey& survey, SQLite::Database& target, const CanonicalOptions& options)
      : survey_(survey), target_(target), options_(options) {}

  void run() {
    rank_keys();
    decide_lanes();
    count_n();
    sort();
    choose_told();
    const Packing packing = survey_.bytes() < large_content ? Packing::small : Packing::fast;
    CanonicalTables tables(target_, packing, train_dictionary(samples()));
    write_sessions(tables);
    write_keys(tables);
    write_interactions(tables);
    write_asides(tables);
    for (const TakeRow& take : takes_) insert_take(target_, take);
  }
  /// In the order of `ls`.
  [[nodiscard]] std::vector<ScrubbedAgain> take_scrubbed_again() { return std::move(scrubbed_again_); }

 private:
  void rank_keys();
  void decide_lanes();
  void count_n();
  void sort();
  void choose_told();
  [[nodiscard]] std::vector<std::string> samples();
  void write_sessions(CanonicalTables& tables);
  void write_keys(CanonicalTables& tables);
  void write_interactions(CanonicalTables& tables);
  void write_asides(CanonicalTables& tables);
  void note_asides(const Row& row, std::int64_t id);
  void write_key(CanonicalTables& tables, RowAt first, RowAt last);
  void write_sequence(CanonicalTables& tables, Place& place, RowAt first, RowAt last);
  void write_row(CanonicalTables& tables, const Place& place, const Row& row);
  [[nodiscard]] const std::string& text_of(const Row& row) const { return survey_.keys()[keys_[row.step.key].index]; }

  Survey& survey_;
  SQLite::Database& target_;
  const CanonicalOptions& options_;
  struct Key {
    KeyHash hash;
    std::uint32_t index = 0;    ///< in survey_.keys()
    std::uint32_t in_text = 0;  ///< place in the order of the texts' bytes
    bool has_holes = false;
  };
  std::vector<Key> keys_;  ///< by rank: in the order of their hashes
  std::vector<TakeRow> takes_;
  std::map<std::uint32_t, Lanes> lanes_;  ///< by take
  std::int64_t next_row_ = 1;
  std::int64_t next_number_ = 1;
  std::uint64_t bytes_ = 0;
  std::vector<AsidePlace> asides_;
  std::vector<const Row*> told_;               ///< the first ones that scrubbing again changed
  std::vector<ScrubbedAgain> scrubbed_again_;  ///< what it did to each of them
};

void Canonicaliser::rank_keys() {
  const auto& texts = survey_.keys();
  std::vector<std::uint32_t> in_text(texts.size());
  std::iota(in_text.begin(), in_text.end(), 0u);
  std::sort(in_text.begin(), in_text.end(), [&](auto a, auto b) { return texts[a] < texts[b]; });
  keys_.resize(texts.size());
  for (std::uint32_t i = 0; i < in_text.size(); ++i) keys_[i] = {key_hash(texts[in_text[i]]), in_text[i], i, false};
  std::sort(keys_.begin(), keys_.end(),
            [](const Key& a, const Key& b) { return std::tie(a.hash, a.in_text) < std::tie(b.hash, b.in_text); });
  std::vector<std::uint32_t> rank(texts.size());
  for (std::uint32_t i = 0; i < keys_.size(); ++i) rank[keys_[i].index] = i;
  for (Row& row : survey_.rows()) row.step.key = rank[row.step.key];
}

void Canonicaliser::decide_lanes() {
  auto& rows = survey_.rows();
  takes_ = survey_.takes();
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last = std::find_if(first, rows.end(), [&](const Row& row) { return row.take != first->take; });
    std::vector<Step> steps;
    for (auto row = first; row != last; ++row) steps.push_back(row->step);
    lanes_[first->take] = assign_lanes(steps, survey_.asides());
    for (auto row = first; row != last; ++row) row->step = steps[static_cast<std::size_t>(row - first)];
    first = last;
  }
  std::map<std::uint32_t, std::int64_t> ends;
  for (const Row& row : rows) {
    const auto [end, is_new] = ends.try_emplace(row.take, row.step.ended_us);
    end->second = std::max(end->second, row.step.ended_us);
  }
  for (TakeRow& take : takes_) {
    take.lanes = lanes_.contains(take.number) ? lanes_[take.number].count : 0;
    take.ended_us = ends.contains(take.number) ? ends[take.number] : take.started_us;
    if (options_.close_takes) take.finished = true;
    if (options_.scrubber) take.verified = true;
    ends.erase(take.number);
  }
  if (!ends.empty()) throw Damage("an interaction belongs to no take");
}

void Canonicaliser::count_n() {
  auto& rows = survey_.rows();
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tuple(a.step.key, a.step.lane, a.take, a.ord) < std::tuple(b.step.key, b.step.lane, b.take, b.ord);
  });
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const bool same = rows[i - 1].step.key == rows[i].step.key && rows[i - 1].step.lane == rows[i].step.lane;
    rows[i].n = same ? rows[i - 1].n + 1 : 0;
  }
}

void Canonicaliser::sort() {
  std::sort(survey_.rows().begin(), survey_.rows().end(), [](const Row& a, const Row& b) {
    return std::tuple(a.step.key, a.take, a.step.lane, standing(a.step), a.ord) <
           std::tuple(b.step.key, b.take, b.step.lane, standing(b.step), b.ord);
  });
}

void Canonicaliser::choose_told() {
  for (const Row& row : survey_.rows()) {
    if (row.changed) told_.push_back(&row);
  }
  const auto last = told_.begin() + static_cast<std::ptrdiff_t>(std::min(told_.size(), most_scrubbed_again));
  // Rows of one key stand in their order already.
  std::partial_sort(told_.begin(), last, told_.end(), [&](const Row* a, const Row* b) {
    return std::tuple(keys_[a->step.key].in_text, a) < std::tuple(keys_[b->step.key].in_text, b);
  });
  told_.erase(last, told_.end());
  scrubbed_again_.resize(told_.size());
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

void Canonicaliser::write_sessions(CanonicalTables& tables) {
  for (const auto& [take, lanes] : lanes_) {
    for (const auto& [number, span] : lanes.sessions) {
      const auto account = survey_.accounts().find({take, number});
      tables.add_session(take, number, account == survey_.accounts().end() ? 0 : account->second, span);
    }
  }
}

void Canonicaliser::write_keys(CanonicalTables& tables) {
  const std::vector<Row>& rows = survey_.rows();
  for (RowAt row = rows.begin(); row != rows.end(); row = end_of_key(row, rows.end())) {
    keys_[row->step.key].has_holes = row->has_holes;
  }
  std::vector<const Key*> in_text(keys_.size());
  for (const Key& key : keys_) in_text[key.in_text] = &key;
  for (const Key* key : in_text) tables.add_key(survey_.keys()[key->index], key->has_holes);
}

void Canonicaliser::write_row(CanonicalTables& tables, const Place& place, const Row& row) {
  ScrubbedAgain change;
  const auto told = row.changed ? std::find(told_.begin(), told_.end(), &row) : told_.end();
  const scrubbers::InteractionRecord record = survey_.load(row, told != told_.end() ? &change : nullptr);
  if (record.key.text != text_of(row)) throw Damage("an interaction changed while it was read");
  tables.add(place, record);
  if (told != told_.end()) {
    change.id = base::to_hex(interaction_digest(record.key.text, row.step.lane, row.n));
    scrubbed_again_[static_cast<std::size_t>(told - told_.begin())] = std::move(change);
  }
  bytes_ += record.request.target.size() + record.request.body.size() + record.response.body.size();
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
    place.n = row->n;
    place.step = row->step;
    write_row(tables, place, *row);
    note_asides(*row, place.id);
    place.key_begins = nullptr;
    place.sequences = 0;
  }
}

void Canonicaliser::write_key(CanonicalTables& tables, RowAt first, RowAt last) {
  const Key& key = keys_[first->step.key];
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
void reserve_numbers(SQLite::Database& source, State state, scrubbers::Scrubber& scrubber) {
  const std::string last = "SELECT ifnull(max(session), 0), ifnull(max(account), 0) FROM ";
  for (const char* table : {"interaction", "recorded"}) {
    if (table == std::string_view("recorded") && state == State::finished) continue;
    Query query(source, (last + table).c_str());
    Rows rows(query);
    if (query.step()) scrubber.reserve_numbers(query.small(0), query.small(1));
  }
}

/// Scrubbing may learn; then what was read before has to be looked at once more.
std::unique_ptr<Survey> settled_survey(SQLite::Database& source, State state, const CanonicalOptions& options) {
  std::unique_ptr<Survey> survey;
  if (options.scrubber) reserve_numbers(source, state, *options.scrubber);
  for (int i = 0; i < most_surveys; ++i) {
    const std::uint64_t before = options.scrubber ? options.scrubber->generation() : 0;
    survey = std::make_unique<Survey>(source, state, options);
    if (!options.scrubber || options.scrubber->generation() == before) break;
  }
  return survey;
}

Fingerprints allowed_from_now_on(SQLite::Database& source, const CanonicalOptions& options) {
  Fingerprints allowed = read_allowed(source);
  allowed.insert(options.allow.begin(), options.allow.end());
  for (const std::string& fingerprint : options.disallow) allowed.erase(fingerprint);
  if (allowed.size() > most_allowed) {
    throw CassetteError(CassetteError::Kind::io,
                        "no more than " + std::to_string(most_allowed) + " findings can be allowed in one cassette");
  }
  return allowed;
}

}  // namespace

CanonicalResult canonicalise(SQLite::Database& source, State state, const std::string& destination,
                             const CanonicalOptions& options) {
  Fingerprints allowed = allowed_from_now_on(source, options);
  const std::unique_ptr<Survey> survey = settled_survey(source, state, options);
  create_file(destination).close();
  SQLite::Database target(destination, SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX);
  const bool small = survey->bytes() < small_content || survey->bytes() / survey->rows().size() < small_interaction;
  target.exec("PRAGMA page_size=" + std::to_string(small ? small_page_size : large_page_size));
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
  return {survey->rows().size(), survey->scrubbed_late(), canonicaliser.take_scrubbed_again(), std::move(allowed)};
}

}  // namespace tapedeck::cassettes
