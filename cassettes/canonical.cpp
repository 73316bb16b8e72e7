#include "cassettes/canonical.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "cassettes/canonical_tables.h"
#include "cassettes/cassette_error.h"
#include "cassettes/files.h"
#include "cassettes/interaction_id.h"
#include "http/digest.h"

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

/// Semantics §2 asks which take succeeded; a script or a picture has no envelope that could say so.
bool says_success(const Step& step, int status) { return step.error_code ? *step.error_code == 0 : status < 400; }

class Canonicaliser {
 public:
  Canonicaliser(Survey& survey, SQLite::Database& target, const CanonicalOptions& options)
      : survey_(survey), target_(target), options_(options) {}

  void run() {
    rank_keys();
    decide_lanes();
    count_n();
    sort();
    const Packing packing = survey_.bytes() < large_content ? Packing::small : Packing::fast;
    CanonicalTables tables(target_, packing, train_dictionary(samples()));
    write_sessions(tables);
    write_interactions(tables);
    for (const TakeRow& take : takes_) insert_take(target_, take);
  }
  [[nodiscard]] std::vector<ScrubbedAgain> take_scrubbed_again() { return std::move(scrubbed_again_); }

 private:
  void rank_keys();
  void decide_lanes();
  void count_n();
  void sort();
  [[nodiscard]] std::vector<std::string> samples();
  void write_sessions(CanonicalTables& tables);
  void write_interactions(CanonicalTables& tables);
  void write_row(CanonicalTables& tables, const Row& row);
  void close_sequence(CanonicalTables& tables);

  Survey& survey_;
  SQLite::Database& target_;
  const CanonicalOptions& options_;
  std::vector<std::uint32_t> key_at_;  ///< rank to index in survey_.keys()
  std::vector<TakeRow> takes_;
  std::map<std::uint32_t, Lanes> lanes_;  ///< by take
  std::int64_t key_row_ = 0;
  KeyHash key_hash_;
  std::int64_t next_ = 1;
  std::uint64_t bytes_ = 0;
  std::uint32_t session_of_sequence_ = 0;
  SequenceRow sequence_;
  std::vector<ScrubbedAgain> scrubbed_again_;
};

void Canonicaliser::rank_keys() {
  const auto& keys = survey_.keys();
  key_at_.resize(keys.size());
  std::iota(key_at_.begin(), key_at_.end(), 0u);
  std::sort(key_at_.begin(), key_at_.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
  std::vector<std::uint32_t> rank(keys.size());
  for (std::uint32_t i = 0; i < key_at_.size(); ++i) rank[key_at_[i]] = i;
  for (Row& row : survey_.rows()) row.step.key = rank[row.step.key];
}

void Canonicaliser::decide_lanes() {
  auto& rows = survey_.rows();
  takes_ = survey_.takes();
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last = std::find_if(first, rows.end(), [&](const Row& row) { return row.take != first->take; });
    std::vector<Step> steps;
    for (auto row = first; row != last; ++row) steps.push_back(row->step);
    lanes_[first->take] = assign_lanes(steps);
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

void Canonicaliser::close_sequence(CanonicalTables& tables) {
  if (sequence_.first != 0) tables.add(sequence_);
}

void Canonicaliser::write_row(CanonicalTables& tables, const Row& row) {
  ScrubbedAgain change;
  const bool tell = row.changed && scrubbed_again_.size() < most_scrubbed_again;
  const scrubbers::InteractionRecord record = survey_.load(row, tell ? &change : nullptr);
  if (record.key.text != survey_.keys()[key_at_[row.step.key]])
    throw Damage("an interaction changed while it was read");
  tables.add(Place{next_, key_row_, row.take, row.ord, row.n, row.step}, record);
  ++next_;
  if (tell) {
    change.id = http::to_hex(interaction_digest(record.key.text, row.step.lane, row.n));
    scrubbed_again_.push_back(std::move(change));
  }
  if (row.step.played()) {
    sequence_.many_sessions |= sequence_.count > 0 && row.step.session != session_of_sequence_;
    session_of_sequence_ = row.step.session;
    sequence_.succeeded |= says_success(row.step, record.response.status);
    ++sequence_.count;
  } else {
    ++(row.step.complete() ? sequence_.passed_over : sequence_.hidden);
  }
  bytes_ += record.request.target.size() + record.request.body.size() + record.response.body.size();
  options_.progress("writing", bytes_, survey_.bytes());
}

void Canonicaliser::write_interactions(CanonicalTables& tables) {
  const Row* before = nullptr;
  for (const Row& row : survey_.rows()) {
    if (!before || before->step.key != row.step.key) {
      const std::string& text = survey_.keys()[key_at_[row.step.key]];
      key_row_ = tables.add_key(text, row.has_holes);
      key_hash_ = key_hash(text);
    }
    if (!before || before->step.key != row.step.key || before->take != row.take || before->step.lane != row.step.lane) {
      close_sequence(tables);
      sequence_ = SequenceRow{key_hash_, row.take, row.step.lane, next_};
    }
    write_row(tables, row);
    before = &row;
  }
  close_sequence(tables);
  tables.write_sequences();
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
