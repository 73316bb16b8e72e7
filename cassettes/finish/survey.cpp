#include "cassettes/finish/survey.h"

#include <algorithm>

#include "api/envelope.h"
#include "cassettes/file/redaction_codec.h"

namespace tapedeck::cassettes {

namespace {

constexpr int kind_session = 0, kind_account = 1, kind_value = 2;

/// Nothing for what is no envelope; 0 for success.
std::optional<int> error_code_of(const scrubbers::InteractionRecord& record) {
  if (record.completeness != api::Completeness::complete) return std::nullopt;
  const auto verdict = api::verdict(record.response.body);
  if (!verdict) return std::nullopt;
  if (verdict->success) return 0;
  return verdict->error_code.value_or(static_cast<int>(api::ErrorCode::unknown));
}

bool belongs_to_no_session(const scrubbers::Redaction& redaction) { return redaction.whose == scrubbers::Whose::none; }

int kind_of(const scrubbers::Redaction& redaction) { return kind_value + static_cast<int>(redaction.secret_class); }

}  // namespace

void Numbering::note_one(const Name& name, const Moment& moment) {
  const auto [found, is_new] = first_.try_emplace(name, moment);
  if (!is_new) found->second = std::min(found->second, moment);
}

void Numbering::note(std::uint32_t take, std::int64_t arrival, const scrubbers::InteractionRecord& record) {
  const std::int64_t start = record.started_us, end = record.ended_us;
  if (record.session != 0) note_one({take, kind_session, record.session}, {0, start, end, arrival, 0});
  if (record.account != 0) note_one({take, kind_account, record.account}, {0, start, end, arrival, 0});
  for (std::size_t i = 0; i < record.redactions.size(); ++i) {
    const scrubbers::Redaction& redaction = record.redactions[i];
    if (belongs_to_no_session(redaction)) {
      note_one({take, kind_of(redaction), redaction.ordinal}, {0, start, end, arrival, i});
    } else if (redaction.owner != 0) {
      // A session that is only spoken of comes after those that made a request.
      note_one({take, kind_session, redaction.owner}, {1, start, end, arrival, i});
    }
  }
}

void Numbering::settle() {
  std::vector<std::tuple<std::uint32_t, int, Moment, std::uint32_t>> in_order;
  in_order.reserve(first_.size());
  for (const auto& [name, moment] : first_) {
    in_order.emplace_back(std::get<0>(name), std::get<1>(name), moment, std::get<2>(name));
  }
  std::sort(in_order.begin(), in_order.end());
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    const auto& [take, kind, moment, old] = in_order[i];
    const bool same_group = i > 0 && std::get<0>(in_order[i - 1]) == take && std::get<1>(in_order[i - 1]) == kind;
    // Sessions and accounts count from 1, ordinals from 0.
    if (!same_group) next = kind < kind_value ? 1 : 0;
    numbers_[{take, kind, old}] = next++;
  }
  first_.clear();
}

std::uint32_t Numbering::number(std::uint32_t take, int kind, std::uint32_t old) const {
  const auto found = numbers_.find({take, kind, old});
  return found == numbers_.end() ? old : found->second;
}

void Numbering::apply(std::uint32_t take, scrubbers::InteractionRecord& record) const {
  if (record.session != 0) record.session = number(take, kind_session, record.session);
  if (record.account != 0) record.account = number(take, kind_account, record.account);
  for (scrubbers::Redaction& redaction : record.redactions) {
    if (belongs_to_no_session(redaction)) {
      redaction.ordinal = number(take, kind_of(redaction), redaction.ordinal);
    } else if (redaction.owner != 0) {
      redaction.owner = number(take, kind_session, redaction.owner);
    }
  }
}

Survey::Survey(SQLite::Database& database, State state, const CanonicalOptions& options)
    : options_(options), scrubber_(options.scrubber), stored_(database), takes_(read_takes(database)) {
  if (state == State::recording) recorded_ = std::make_unique<RecordedReader>(database);
  read_all(database);
  numbering_.settle();
  sort_and_number();
}

void Survey::read_all(SQLite::Database& database) {
  const std::int64_t pages = database.execAndGet("PRAGMA page_count").getInt64();
  const auto total = static_cast<std::uint64_t>(pages * database.execAndGet("PRAGMA page_size").getInt64());
  const auto read = [&](const char* sql, bool recorded) {
    Query query(database, sql);
    while (query.step()) {
      Row row;
      row.recorded = recorded;
      row.id = query.number(0);
      row.take = query.small(1);
      row.arrival = query.number(2);
      row.generation = query.number(3);
      take_in(row);
      options_.progress("scrubbing", std::min(bytes_, total), total);
    }
  };
  read("SELECT id, take, ord, 0 FROM interaction ORDER BY id", false);
  if (recorded_) read("SELECT n, take, n, generation FROM recorded ORDER BY n", true);
}

bool Survey::is_up_to_date(const Row& row) const {
  return row.recorded && row.generation != 0 && row.take == options_.own_take &&
         row.generation == static_cast<std::int64_t>(scrubber_->generation());
}

scrubbers::InteractionRecord Survey::stored(const Row& row) {
  return row.recorded ? recorded_->record(row.id) : stored_.record(row.id);
}

void Survey::take_in(Row row) {
  scrubbers::InteractionRecord record = stored(row);
  if (scrubber_ && !is_up_to_date(row)) {
    const scrubbers::Scrubber::Rescrubbed again = scrubber_->rescrub(std::move(record));
    row.changed = again.changed;
    scrubbed_late_ += again.changed ? 1 : 0;
    record = again.interaction.record();
    check_redactions(record.redactions, part_sizes(record));
  }
  const auto [key, is_new] = key_numbers_.try_emplace(record.key.text, static_cast<std::uint32_t>(keys_.size()));
  if (is_new) keys_.push_back(record.key.text);
  row.has_holes = record.key.has_holes;
  row.step.key = key->second;
  row.step.session = record.session;
  row.step.started_us = record.started_us;
  row.step.ended_us = record.ended_us;
  row.step.effect = record.effect;
  row.step.completeness = record.completeness;
  row.step.error_code = error_code_of(record);
  take_in_asides(row, record);
  row.says_success = row.step.error_code ? *row.step.error_code == 0 : record.response.status < 400;
  numbering_.note(row.take, row.arrival, record);
  if (record.account != 0 && record.session != 0) {
    accounts_.try_emplace({row.take, record.session}, record.account);
  }
  bytes_ += record.request.target.size() + record.request.body.size() + record.response.body.size();
  rows_.push_back(row);
}

void Survey::take_in_asides(Row& row, const scrubbers::InteractionRecord& record) {
  row.step.first_aside = static_cast<std::uint32_t>(asides_.size());
  for (FoundAside& found : asides_of(record, api::KeyPolicy::current())) {
    const KeyHash hash = key_hash(found.key_text);
    const auto [known, is_new] = aside_key_numbers_.try_emplace(hash, static_cast<std::uint32_t>(aside_keys_.size()));
    if (is_new) aside_keys_.push_back(hash);
    found.aside.key = known->second;
    row.step.conditional = row.step.conditional || found.aside.place == 0;
    asides_.push_back(found.aside);
  }
  row.step.asides = static_cast<std::uint32_t>(asides_.size()) - row.step.first_aside;
}

void Survey::sort_and_number() {
  std::sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) {
    return std::tuple(a.take, a.step.started_us, a.step.ended_us, a.arrival) <
           std::tuple(b.take, b.step.started_us, b.step.ended_us, b.arrival);
  });
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> accounts;
  for (const auto& [session, account] : accounts_) {
    scrubbers::InteractionRecord numbers;
    numbers.session = session.second;
    numbers.account = account;
    numbering_.apply(session.first, numbers);
    accounts[{session.first, numbers.session}] = numbers.account;
  }
  accounts_ = std::move(accounts);
  std::uint32_t ord = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    ord = i > 0 && rows_[i - 1].take == rows_[i].take ? ord + 1 : 1;
    rows_[i].ord = ord;
    if (rows_[i].step.session != 0) {
      rows_[i].step.session = numbering_.session(rows_[i].take, rows_[i].step.session);
    }
  }
}

scrubbers::InteractionRecord Survey::scrubbed_again(scrubbers::InteractionRecord record, ScrubbedAgain* change) {
  const std::vector<scrubbers::Redaction> before = change ? record.redactions : std::vector<scrubbers::Redaction>();
  const bool was_withheld = record.completeness == api::Completeness::withheld;
  record = scrubber_->rescrub(std::move(record)).interaction.record();
  check_redactions(record.redactions, part_sizes(record));
  if (change) {
    change->key = record.key.text;
    change->added = added_redactions(before, record.redactions);
    if (!was_withheld && record.completeness == api::Completeness::withheld) change->withheld = record.reason;
  }
  return record;
}

scrubbers::InteractionRecord Survey::load(const Row& row, ScrubbedAgain* change) {
  scrubbers::InteractionRecord record = stored(row);
  if (row.changed) record = scrubbed_again(std::move(record), change);
  numbering_.apply(row.take, record);
  return record;
}

}  // namespace tapedeck::cassettes
