#include "tools/prune.h"

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "cassettes/read/superseded.h"
#include "tools/content/rewrite.h"

namespace tapedeck::tools {

UseReport use_in_report(std::string_view json, const std::function<bool(const std::string& path)>& is_cassette) {
  const auto report = nlohmann::json::parse(json, nullptr, false);
  const bool is_report = report.is_object() && report.contains("unused") && report["unused"].is_array() &&
                         report.contains("scopes") && report["scopes"].is_object();
  if (!is_report) throw std::invalid_argument("not a report of `tapedeck exec --report`");
  UseReport use;
  try {
    for (const auto& [name, scope] : report["scopes"].items()) {
      if (scope.at("ran").get<bool>()) use.scopes.insert(name);
    }
    for (const auto& entry : report["unused"]) {
      if (!is_cassette(entry.at("cassette").get<std::string>())) continue;
      use.unused.insert({entry.value("scope", std::string()), entry.at("key").get<std::string>(),
                         entry.at("take").get<std::uint32_t>(), entry.at("lane").get<std::uint32_t>()});
    }
  } catch (const nlohmann::json::exception&) {
    throw std::invalid_argument("its list `unused` or `scopes` contains an invalid entry");
  }
  return use;
}

namespace {

bool is_used(const UseReport& report, const UnusedSequence& sequence) {
  if (!sequence.scope.empty() && !report.scopes.contains(sequence.scope)) return false;
  return !report.unused.contains(sequence);
}

}  // namespace

std::unordered_set<std::uint64_t> pruned(const cassettes::CassetteReader& cassette, const PruneRules& rules) {
  std::vector<std::function<bool(const cassettes::ListedInteraction&)>> any;
  if (rules.superseded) any.emplace_back(cassettes::Superseded(cassette));
  if (!rules.reports.empty()) {
    any.emplace_back([&rules](const cassettes::ListedInteraction& line) {
      const UnusedSequence sequence{api::shown_scope(line.scope), line.key, line.take, line.lane};
      return std::none_of(rules.reports.begin(), rules.reports.end(),
                          [&](const UseReport& report) { return is_used(report, sequence); });
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
