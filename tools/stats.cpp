#include "tools/stats.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "api/catalog.h"
#include "api/operation_spec.h"
#include "base/text.h"

namespace tapedeck::tools {
namespace {

using cassettes::ListedInteraction;

struct Gathered {
  ApiStats stats;
  std::vector<std::int64_t> durations;

  void add(const ListedInteraction& line) {
    const Outcome outcome = outcome_of(line);
    ++stats.calls;
    stats.errors += outcome == Outcome::error ? 1 : 0;
    stats.broken += outcome == Outcome::broken ? 1 : 0;
    stats.withheld += outcome == Outcome::withheld ? 1 : 0;
    stats.sequences += line.position == 0 ? 1 : 0;
    stats.bytes += line.body_bytes;
    stats.largest = std::max(stats.largest, line.body_bytes);
    durations.push_back(line.ended_us - line.started_us);
  }

  /// Returns the smallest duration that at least this percentage of all durations does not exceed.
  [[nodiscard]] std::int64_t quantile(std::size_t hundredths) {
    if (durations.empty()) return 0;
    const std::size_t rank = (durations.size() * hundredths + 99) / 100;
    const auto place = durations.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
    std::nth_element(durations.begin(), place, durations.end());
    return *place;
  }

  [[nodiscard]] ApiStats take(std::string name) {
    stats.api = std::move(name);
    stats.median_us = quantile(50);
    stats.p95_us = quantile(95);
    stats.longest_us = quantile(100);
    return std::move(stats);
  }
};

/// An API, without its first label, and a method.
using Operation = std::pair<std::string, std::string>;

void add_coverage(const std::map<Operation, std::uint64_t>& seen, CassetteStats& stats) {
  std::set<Operation> known;
  for (const api::OperationSpec& spec : api::operation_specs()) {
    const Operation operation(spec.api, base::fold(spec.method));
    known.insert(operation);
    const auto found = seen.find(operation);
    stats.specified.push_back(
        {operation.first + " " + std::string(spec.method), found == seen.end() ? 0 : found->second});
  }
  for (const api::CatalogOperation& one : api::catalog()) {
    const Operation operation(one.api, base::fold(one.method));
    if (!known.insert(operation).second) continue;
    ++stats.catalog_operations;
    stats.catalog_seen += seen.contains(operation) ? 1 : 0;
  }
  stats.other_operations = static_cast<std::uint64_t>(
      std::count_if(seen.begin(), seen.end(), [&](const auto& one) { return !known.contains(one.first); }));
}

}  // namespace

CassetteStats stats_of(const cassettes::CassetteReader& cassette, const Selection& selection) {
  std::map<std::string, Gathered> apis;
  std::map<Operation, std::uint64_t> seen;
  Gathered all;
  std::string key;
  CallName name;
  cassette.list([&](const ListedInteraction& line) {
    if (!selection.has(line)) return true;
    if (line.key != key || key.empty()) name = call_name(key = line.key);
    const std::string full = name.label.empty() ? name.api : name.label + "." + name.api;
    apis[name.is_call ? full : "(no call)"].add(line);
    if (name.is_call) ++seen[{name.api, name.method}];
    all.add(line);
    return true;
  });
  CassetteStats stats;
  for (auto& [api, gathered] : apis) stats.apis.push_back(gathered.take(api));
  stats.all = all.take("all");
  add_coverage(seen, stats);
  return stats;
}

}  // namespace tapedeck::tools
