#include "cassettes/finish/canonical_order.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "cassettes/file/connection.h"

namespace tapedeck::cassettes {

namespace {

/// Orders replayed steps first, then skipped ones, then hidden ones.
int standing(const Step& step) { return step.played() ? 0 : step.complete() ? 1 : 2; }

SequenceEntry entry_of(const Row& row, std::size_t place) {
  SequenceEntry entry;
  entry.interaction = static_cast<std::int64_t>(place) + 1;
  entry.segment = row.step.segment;
  entry.divides = row.step.divides;
  entry.error_code = row.step.error_code;
  entry.session = row.step.session;
  entry.succeeded = row.says_success;
  entry.secrets = row.secrets;
  entry.reads = row.step.effect == api::Effect::read;
  return entry;
}

}  // namespace

CanonicalOrder::CanonicalOrder(Survey& survey, const CanonicalOptions& options) : survey_(survey) {
  rank_scopes();
  decide_lanes();
  close_takes(options);
  std::sort(survey_.rows.begin(), survey_.rows.end(), [](const Row& a, const Row& b) {
    return std::tie(a.take, a.ord, a.digest) < std::tie(b.take, b.ord, b.digest);
  });
  rank_keys();
  make_sequences();
  make_aside_sequences();
  find_conflicts();
}

void CanonicalOrder::rank_scopes() {
  const auto& names = survey_.scopes;
  scopes.resize(names.size());
  std::iota(scopes.begin(), scopes.end(), 0u);
  std::sort(scopes.begin(), scopes.end(), [&](auto a, auto b) { return names[a] < names[b]; });
  scope_rows.resize(names.size());
  for (std::uint32_t i = 0; i < scopes.size(); ++i) scope_rows[scopes[i]] = i;
}

void CanonicalOrder::decide_lanes() {
  auto& rows = survey_.rows;
  const auto part_of = [&](const Row& row) { return Survey::Part(row.take, scope_rows[row.scope]); };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return part_of(a) < part_of(b); });
  takes = survey_.takes;
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last = std::find_if(first, rows.end(), [&](const Row& row) { return part_of(row) != part_of(*first); });
    std::vector<Step> steps;
    for (auto row = first; row != last; ++row) {
      Step& step = steps.emplace_back(row->step);
      if (step.account == 0 && step.session != 0) step.account = survey_.account({row->take, row->scope}, step.session);
    }
    const LaneRules rules{first->scope != 0, survey_.stored_sessions({first->take, first->scope})};
    lanes[part_of(*first)] = assign_lanes(steps, survey_.asides, rules);
    for (auto row = first; row != last; ++row) row->step = steps[static_cast<std::size_t>(row - first)];
    first = last;
  }
}

void CanonicalOrder::close_takes(const CanonicalOptions& options) {
  std::map<std::uint32_t, std::int64_t> ends;
  for (const Row& row : survey_.rows) {
    const auto [end, is_new] = ends.try_emplace(row.take, row.step.ended_us);
    end->second = std::max(end->second, row.step.ended_us);
  }
  for (Take& take : takes) {
    take.ended_us = ends.contains(take.number) ? ends[take.number] : take.started_us;
    if (options.why != Why::read_copy) take.finished = true;
    // The values that a killed take had learned are lost, so a later scrubber cannot confirm that it is clean.
    const bool is_own = options.why == Why::ended && take.number == survey_.recorded_take;
    if (options.finish.scrubber && options.why != Why::edit && (is_own || options.finish.knows_values))
      take.verified = true;
    unverified += take.verified ? 0 : 1;
    ends.erase(take.number);
  }
  if (!ends.empty()) throw Damage("an interaction does not belong to a take");
}

void CanonicalOrder::rank_keys() {
  struct Place {
    bool is_part = true;  ///< only used by parts of compounds
    std::int64_t number = 0;
  };
  std::map<std::pair<std::uint32_t, std::string>, Place> rows;
  for (const Survey::Key& key : survey_.keys) rows[{scope_rows[key.scope], key.text}].is_part = false;
  // The key of a part is kept only if the part is replayed and its request is not withheld.
  for (const Row& row : survey_.rows) {
    for (std::uint32_t i = 0; i < row.step.asides; ++i) {
      const Aside& aside = survey_.asides[row.step.first_aside + i];
      const Survey::AsideKey& key = survey_.aside_keys[aside.key];
      if (!aside.passed_over) rows.try_emplace({scope_rows[key.scope], key.text});
    }
  }
  for (auto& [name, row] : rows) {
    keys.push_back({name.first, name.second, row.is_part, false});
    row.number = static_cast<std::int64_t>(keys.size());
  }
  for (const Survey::Key& key : survey_.keys) {
    own_key_rows_.push_back(rows.at({scope_rows[key.scope], key.text}).number);
  }
  for (const Survey::AsideKey& key : survey_.aside_keys) {
    const auto found = rows.find({scope_rows[key.scope], key.text});
    aside_key_rows_.push_back(found == rows.end() ? 0 : found->second.number);
  }
  // The first interaction of a key decides.
  std::for_each(survey_.rows.rbegin(), survey_.rows.rend(),
                [this](const Row& row) { keys[static_cast<std::size_t>(key_row(row)) - 1].has_holes = row.has_holes; });
}

void CanonicalOrder::make_sequences() {
  const std::vector<Row>& rows = survey_.rows;
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto name = [&](const Row& row) {
    const std::string_view secrets = survey_.secrets(row.secrets).identity;
    return std::tuple(key_row(row), row.take, row.step.lane, row.step.account, secrets);
  };
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(name(rows[a]), standing(rows[a].step), a) < std::tuple(name(rows[b]), standing(rows[b].step), b);
  });
  positions.resize(rows.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Row& row = rows[order[i]];
    if (i == 0 || name(row) != name(rows[order[i - 1]])) {
      SequenceRow& begun = sequences.emplace_back();
      begun.key = key_row(row);
      begun.take = row.take;
      begun.lane = row.step.lane;
      begun.account = row.step.account;
      begun.secrets = survey_.secrets(row.secrets).identity;
    }
    SequenceRow& sequence = sequences.back();
    positions[order[i]] = static_cast<std::uint32_t>(sequence.entries.size());
    sequence.entries.push_back(entry_of(row, order[i]));
    ++(row.step.played() ? sequence.count : row.step.complete() ? sequence.passed_over : sequence.hidden);
  }
}

void CanonicalOrder::make_aside_sequences() {
  using Name = std::tuple<std::int64_t, std::uint32_t, std::uint32_t, std::uint32_t, std::string>;
  std::map<Name, std::vector<SequenceEntry>> found;
  const std::vector<Row>& rows = survey_.rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    for (std::uint32_t n = 0; n < row.step.asides; ++n) {
      const Aside& aside = survey_.asides[row.step.first_aside + n];
      if (aside.passed_over) continue;
      SequenceEntry entry = entry_of(row, i);
      entry.place = aside.place;
      entry.segment = aside.segment;
      entry.divides = aside.divides() ? 1 : 0;
      entry.error_code = aside.error_code;
      entry.succeeded = aside.error_code ? *aside.error_code == 0 : row.says_success;
      entry.secrets = aside.secrets;
      entry.reads = aside.effect == api::Effect::read;
      const std::string& secrets = survey_.secrets(entry.secrets).identity;
      found[{aside_key_rows_[aside.key], row.take, row.step.lane, row.step.account, secrets}].push_back(entry);
    }
  }
  for (auto& [name, entries] : found) {
    SequenceRow& sequence = sequences.emplace_back();
    sequence.kind = SequenceKind::part;
    std::tie(sequence.key, sequence.take, sequence.lane, sequence.account, sequence.secrets) = name;
    sequence.count = static_cast<std::uint32_t>(entries.size());
    sequence.entries = std::move(entries);
  }
}

/// Finds conflicts across all lanes of a take, because a client's lane does not depend on its secrets. Requests with
/// different headers are different requests.
void CanonicalOrder::find_conflicts() {
  using Name = std::tuple<SequenceKind, std::int64_t, std::uint32_t, std::string_view, std::string_view>;
  struct Seen {
    std::set<std::string_view> requests;
    std::set<std::uint64_t> responses;
    [[nodiscard]] bool is_conflict() const { return requests.size() > 1 && responses.size() > 1; }
  };
  std::map<Name, Seen> seen;
  const auto each = [&](const SequenceRow& sequence, const auto& visit) {
    if (!keys[static_cast<std::size_t>(sequence.key) - 1].has_holes && sequence.kind == SequenceKind::whole) return;
    for (std::uint32_t i = 0; i < sequence.count; ++i) {
      const SequenceEntry& entry = sequence.entries[i];
      if (!entry.reads || entry.secrets == 0) continue;
      const RequestSecrets::Result& secrets = survey_.secrets(entry.secrets);
      visit(seen[Name(sequence.kind, sequence.key, sequence.take, sequence.secrets, secrets.headers)], secrets);
    }
  };
  for (const SequenceRow& sequence : sequences) {
    each(sequence, [](Seen& one, const RequestSecrets::Result& secrets) {
      one.requests.insert(secrets.others);
      one.responses.insert(secrets.response);
    });
  }
  for (SequenceRow& sequence : sequences) {
    std::size_t requests = 0;
    each(sequence, [&](const Seen& one, const RequestSecrets::Result&) {
      if (one.is_conflict()) requests = std::max(requests, one.requests.size());
    });
    sequence.is_ambiguous = requests > 0;
    if (!sequence.is_ambiguous) continue;
    const KeyRow& key = keys[static_cast<std::size_t>(sequence.key) - 1];
    const Conflict conflict{survey_.scopes[scopes[key.scope]], key.text, sequence.take,
                            static_cast<std::uint32_t>(requests)};
    if (conflicts.empty() || conflicts.back() != conflict) conflicts.push_back(conflict);
  }
}

}  // namespace tapedeck::cassettes
