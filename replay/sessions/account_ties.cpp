#include "replay/sessions/account_ties.h"

#include <algorithm>
#include <set>

#include "scrubbers/redaction/account_checks.h"

namespace tapedeck::replay {
namespace {

/// Returns the account whose check value confirms the name.
std::optional<std::size_t> confirmed(const RecordedAccounts::Family& family, std::string_view name) {
  if (!family.key) return std::nullopt;
  const std::optional<std::uint8_t> check = scrubbers::account_check(*family.key, name);
  const auto found = std::find(family.checks.begin(), family.checks.end(), check);
  if (found == family.checks.end()) return std::nullopt;
  return static_cast<std::size_t>(found - family.checks.begin());
}

/// Returns the next account that is not taken. If all are taken, they are shared in turn.
std::size_t next_of(std::vector<bool>& taken) {
  auto next = std::find(taken.begin(), taken.end(), false);
  if (next == taken.end()) {
    std::fill(taken.begin(), taken.end(), false);
    next = taken.begin();
  }
  return static_cast<std::size_t>(next - taken.begin());
}

}  // namespace

RecordedAccounts::RecordedAccounts(const std::vector<One>& all, bool has_unknown) {
  std::map<std::pair<bool, std::uint64_t>, std::size_t> known_families;  // by random number, or by take
  // Accounts of a take with equal check values cannot be told apart by name, so the whole take uses numbers.
  std::map<std::uint32_t, std::set<std::uint8_t>> values;
  std::set<std::uint32_t> unchecked;
  for (const One& one : all) {
    if (!one.key || !one.check || !values[one.take].insert(*one.check).second) unchecked.insert(one.take);
  }
  for (const One& one : all) {
    const bool is_checked = !unchecked.contains(one.take);
    const auto [family, is_new] =
        known_families.try_emplace({is_checked, is_checked ? *one.key : one.take}, families_.size());
    if (is_new) families_.push_back({is_checked ? one.key : std::nullopt, {}});
    auto& checks = families_[family->second].checks;
    const auto check = is_checked ? one.check : std::nullopt;
    auto known = check ? std::find(checks.begin(), checks.end(), check) : checks.end();
    if (known == checks.end()) known = checks.insert(checks.end(), check);
    places_[{one.take, one.number}] = {family->second, static_cast<std::size_t>(known - checks.begin())};
  }
  has_several_ = (has_unknown && !all.empty()) || std::any_of(families_.begin(), families_.end(),
                                                              [](const Family& one) { return one.checks.size() > 1; });
}

std::optional<RecordedAccounts::Place> RecordedAccounts::place(std::uint32_t take, std::uint32_t number) const {
  const auto found = places_.find({take, number});
  return found == places_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::uint32_t> RecordedAccounts::number(std::uint32_t take, const Tied& tied) const {
  for (auto one = places_.lower_bound({take, 0}); one != places_.end() && one->first.first == take; ++one) {
    if (one->second.family < tied.size() && tied[one->second.family] == one->second.account) return one->first.second;
  }
  return std::nullopt;
}

std::uint32_t AccountTies::add(std::string name) {
  constexpr std::size_t most_names = 100'000;
  const std::lock_guard lock(mutex_);
  if (names_.size() == most_names) return static_cast<std::uint32_t>(names_.size());
  names_.push_back(std::move(name));
  return static_cast<std::uint32_t>(names_.size());
}

std::shared_ptr<const AccountTie> AccountTies::tie(const Of& of, const RecordedAccounts& recorded,
                                                   std::uint32_t number) {
  const std::lock_guard lock(mutex_);
  Made& made = made_[of];
  if (made.taken.empty()) {
    for (const auto& family : recorded.families()) made.taken.emplace_back(family.checks.size());
  }
  while (made.ties.size() < number && made.ties.size() < names_.size()) {
    made.ties.push_back(std::make_shared<const AccountTie>(make(recorded, names_[made.ties.size()], made)));
  }
  return number == 0 || number > made.ties.size() ? nullptr : made.ties[number - 1];
}

AccountTie AccountTies::make(const RecordedAccounts& recorded, std::string_view name, Made& made) {
  AccountTie tie;
  for (std::size_t i = 0; i < recorded.families().size(); ++i) {
    const RecordedAccounts::Family& family = recorded.families()[i];
    const std::optional<std::size_t> known = confirmed(family, name);
    tie.accounts.push_back(known ? *known : next_of(made.taken[i]));
    tie.by_order.push_back(!known && family.checks.size() > 1);
    made.taken[i][tie.accounts.back()] = true;
  }
  return tie;
}

void AccountTies::clear() {
  const std::lock_guard lock(mutex_);
  names_.clear();
  made_.clear();
}

}  // namespace tapedeck::replay
