#include "tools/prune.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include <nlohmann/json.hpp>

#include "api/envelope.h"
#include "api/scope_name.h"
#include "tools/rewrite.h"
#include "tools/selection.h"

namespace tapedeck::tools {
namespace {

using cassettes::ListedInteraction;

/// Which of two takes plays: a success counts more than any refusal, and what tells of a session's end least.
int rank(const ListedInteraction& line) {
  if (outcome_of(line) == Outcome::ok) return 2;
  return api::ends_session(line.error_code) ? 0 : 1;
}

/// Which takes are shadowed.
class Superseded {
 public:
  explicit Superseded(const cassettes::CassetteReader& cassette) {
    note_scopes(cassette);
    note_calls(cassette);
    keep_takes_with_writes(cassette);
  }

  [[nodiscard]] bool operator()(const ListedInteraction& line) const {
    if (!line.scope.empty()) return is_older(newest_of_scope_, line.scope, line.take);
    return !takes_with_writes_.contains(line.take) && is_older(newest_of_key_, line.key, line.take);
  }

 private:
  using Newest = std::map<std::string, std::uint32_t, std::less<>>;

  static bool is_older(const Newest& newest, const std::string& name, std::uint32_t take) {
    const auto found = newest.find(name);
    return found != newest.end() && take < found->second;
  }

  void note_scopes(const cassettes::CassetteReader& cassette) {
    cassette.scopes([&](const cassettes::ScopeTake& part) {
      if (part.complete) newest_of_scope_[part.name] = std::max(newest_of_scope_[part.name], part.take);
      return true;
    });
  }

  void note_calls(const cassettes::CassetteReader& cassette) {
    std::map<std::string, std::pair<int, std::uint32_t>, std::less<>> best;
    cassette.list([&](const ListedInteraction& line) {
      if (!line.scope.empty() || line.completeness != api::Completeness::complete) return true;
      auto& known = best[line.key];
      known = std::max(known, std::pair(rank(line), line.take));
      return true;
    });
    for (const auto& [key, found] : best) newest_of_key_[key] = found.second;
  }

  void keep_takes_with_writes(const cassettes::CassetteReader& cassette) {
    cassette.list([&](const ListedInteraction& line) {
      const bool writes =
          line.scope.empty() && line.effect == api::Effect::write && line.completeness == api::Completeness::complete;
      if (writes && !is_older(newest_of_key_, line.key, line.take)) takes_with_writes_.insert(line.take);
      return true;
    });
  }

  Newest newest_of_scope_, newest_of_key_;
  std::set<std::uint32_t> takes_with_writes_;
};

template <class List, class Value>
bool has(const List& list, const Value& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

}  // namespace

std::vector<UnusedSequence> unused_in_report(std::string_view json) {
  const auto report = nlohmann::json::parse(json, nullptr, false);
  const bool is_report = report.is_object() && report.contains("unused") && report["unused"].is_array();
  if (!is_report) throw std::invalid_argument("not a report of `tapedeck exec --report`");
  std::vector<UnusedSequence> unused;
  try {
    for (const auto& entry : report["unused"]) {
      unused.push_back({entry.at("cassette").get<std::string>(), entry.value("scope", std::string()),
                        entry.at("key").get<std::string>(), entry.at("take").get<std::uint32_t>(),
                        entry.at("lane").get<std::uint32_t>()});
    }
  } catch (const nlohmann::json::exception&) {
    throw std::invalid_argument("its list `unused` contains an invalid entry");
  }
  return unused;
}

std::vector<UnusedSequence> in_all(std::vector<std::vector<UnusedSequence>> reports) {
  if (reports.empty()) return {};
  for (auto& report : reports) std::sort(report.begin(), report.end());
  std::vector<UnusedSequence> common = reports.front();
  for (const auto& report : reports) {
    std::vector<UnusedSequence> both;
    std::set_intersection(common.begin(), common.end(), report.begin(), report.end(), std::back_inserter(both));
    common = std::move(both);
  }
  return common;
}

std::unordered_set<std::uint64_t> pruned(const cassettes::CassetteReader& cassette, const PruneRules& rules) {
  std::vector<std::function<bool(const ListedInteraction&)>> any;
  if (rules.broken) any.push_back([](const auto& line) { return line.completeness == api::Completeness::broken; });
  if (rules.superseded) any.emplace_back(Superseded(cassette));
  if (rules.by_reports) {
    std::set<std::tuple<std::string, std::string, std::uint32_t, std::uint32_t>> unused;
    for (const UnusedSequence& one : rules.unused) unused.emplace(one.scope, one.key, one.take, one.lane);
    any.push_back([unused = std::move(unused)](const auto& line) {
      return unused.contains({api::shown_scope(line.scope), line.key, line.take, line.lane});
    });
  }
  std::unordered_set<std::uint64_t> gone;
  cassette.list([&](const ListedInteraction& line) {
    const bool is_within =
        (rules.takes.empty() || has(rules.takes, line.take)) && (rules.scopes.empty() || has(rules.scopes, line.scope));
    const bool goes = any.empty() || std::any_of(any.begin(), any.end(), [&](const auto& rule) { return rule(line); });
    if (is_within && goes) gone.insert(id_number(line.id));
    return true;
  });
  return gone;
}

}  // namespace tapedeck::tools
