#include "tools/prune.h"

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <tuple>

#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "cassettes/read/superseded.h"
#include "tools/content/rewrite.h"

namespace tapedeck::tools {

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
  std::vector<std::function<bool(const cassettes::ListedInteraction&)>> any;
  if (rules.superseded) any.emplace_back(cassettes::Superseded(cassette));
  if (rules.by_reports) {
    std::set<std::tuple<std::string, std::string, std::uint32_t, std::uint32_t>> unused;
    for (const UnusedSequence& one : rules.unused) unused.emplace(one.scope, one.key, one.take, one.lane);
    any.push_back([unused = std::move(unused)](const auto& line) {
      return unused.contains({api::shown_scope(line.scope), line.key, line.take, line.lane});
    });
  }
  std::unordered_set<std::uint64_t> gone;
  cassette.list([&](const cassettes::ListedInteraction& line) {
    const bool goes = any.empty() || std::any_of(any.begin(), any.end(), [&](const auto& rule) { return rule(line); });
    if (goes && rules.within.has(line)) gone.insert(id_number(line.id));
    return true;
  });
  return gone;
}

}  // namespace tapedeck::tools
