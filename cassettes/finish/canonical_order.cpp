#include "cassettes/finish/canonical_order.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "cassettes/file/connection.h"

namespace tapedeck::cassettes {

namespace {

/// Played ones come first, then those passed over, then the hidden ones.
int standing(const Step& step) { return step.played() ? 0 : step.complete() ? 1 : 2; }

}  // namespace

CanonicalOrder::CanonicalOrder(Survey& survey, const CanonicalOptions& options) : survey_(survey) {
  rank_scopes();
  rank_keys();
  decide_lanes();
  close_takes(options);
  sort();
}

void CanonicalOrder::rank_scopes() {
  const auto& names = survey_.scopes();
  scopes_.resize(names.size());
  std::iota(scopes_.begin(), scopes_.end(), 0u);
  std::sort(scopes_.begin(), scopes_.end(), [&](auto a, auto b) { return names[a] < names[b]; });
  scope_rows_.resize(names.size());
  for (std::uint32_t i = 0; i < scopes_.size(); ++i) scope_rows_[scopes_[i]] = i;
}

void CanonicalOrder::rank_keys() {
  const auto& keys = survey_.keys();
  std::vector<std::uint32_t> in_text(keys.size());
  std::iota(in_text.begin(), in_text.end(), 0u);
  const auto place = [&](std::uint32_t i) { return std::tie(scope_rows_[keys[i].scope], keys[i].text); };
  std::sort(in_text.begin(), in_text.end(), [&](auto a, auto b) { return place(a) < place(b); });
  keys_.resize(keys.size());
  for (std::uint32_t i = 0; i < in_text.size(); ++i) {
    const Survey::Key& key = keys[in_text[i]];
    keys_[i] = {key_hash(key.text, survey_.scopes()[key.scope]), in_text[i], i, false};
  }
  std::sort(keys_.begin(), keys_.end(),
            [](const Key& a, const Key& b) { return std::tie(a.hash, a.in_text) < std::tie(b.hash, b.in_text); });
  std::vector<std::uint32_t> rank(keys.size());
  for (std::uint32_t i = 0; i < keys_.size(); ++i) rank[keys_[i].index] = i;
  for (Row& row : survey_.rows()) row.step.key = rank[row.step.key];
}

void CanonicalOrder::decide_lanes() {
  auto& rows = survey_.rows();
  const auto part_of = [&](const Row& row) { return Survey::Part(row.take, scope_rows_[row.scope]); };
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) { return part_of(a) < part_of(b); });
  takes_ = survey_.takes();
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last = std::find_if(first, rows.end(), [&](const Row& row) { return part_of(row) != part_of(*first); });
    std::vector<Step> steps;
    for (auto row = first; row != last; ++row) steps.push_back(row->step);
    const LaneRules rules{first->scope != 0, survey_.stored_sessions({first->take, first->scope})};
    lanes_[part_of(*first)] = assign_lanes(steps, survey_.asides(), rules);
    for (auto row = first; row != last; ++row) row->step = steps[static_cast<std::size_t>(row - first)];
    first = last;
  }
}

void CanonicalOrder::close_takes(const CanonicalOptions& options) {
  std::map<std::uint32_t, std::int64_t> ends;
  for (const Row& row : survey_.rows()) {
    const auto [end, is_new] = ends.try_emplace(row.take, row.step.ended_us);
    end->second = std::max(end->second, row.step.ended_us);
  }
  for (TakeRow& take : takes_) {
    take.ended_us = ends.contains(take.number) ? ends[take.number] : take.started_us;
    if (options.close_takes) take.finished = true;
    // What a killed take had learned is known to nobody: no scrubber of a later day can say that it is clean.
    const bool is_own = options.own_take != 0 && take.number == options.own_take;
    if (options.scrubber && !options.edited_only && (is_own || options.knows_values)) take.verified = true;
    unverified_ += take.verified ? 0 : 1;
    ends.erase(take.number);
  }
  if (!ends.empty()) throw Damage("an interaction belongs to no take");
}

void CanonicalOrder::sort() {
  std::sort(survey_.rows().begin(), survey_.rows().end(), [](const Row& a, const Row& b) {
    return std::tuple(a.step.key, a.take, a.step.lane, standing(a.step), a.ord) <
           std::tuple(b.step.key, b.take, b.step.lane, standing(b.step), b.ord);
  });
  // The first row of a key says it.
  std::for_each(survey_.rows().rbegin(), survey_.rows().rend(),
                [this](const Row& row) { keys_[row.step.key].has_holes = row.has_holes; });
}

}  // namespace tapedeck::cassettes
