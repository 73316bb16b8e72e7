#include "cli/reports/call_counts.h"

#include <algorithm>
#include <iostream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/catalog.h"
#include "api/operation_spec.h"
#include "api/request_key.h"
#include "base/text.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/console/terminal.h"
#include "cli/reports/cassette_text.h"

namespace tapedeck::cli {
namespace {

struct ApiStats {
  std::string api;  ///< full name, such as "SYNO.Core.Share"; "(no call)" for other requests
  std::uint64_t calls = 0, errors = 0, broken = 0, withheld = 0;
  std::uint64_t sequences = 0;  ///< number of sequences; each has one key, take, and lane
  std::uint64_t bytes = 0, largest = 0;
  /// Durations from the request to the end of the response. Percentiles are computed by nearest rank.
  std::int64_t median_us = 0, p95_us = 0, longest_us = 0;
};

struct Coverage {
  std::string name;  ///< "Core.AppPortal list"
  std::uint64_t calls = 0;
};

struct CassetteStats {
  std::vector<ApiStats> apis;  ///< sorted by name
  ApiStats all;
  std::vector<Coverage> specified;  ///< all operations that the specification describes in full, even without calls
  /// Number of other operations in the catalog, and how many of them were recorded.
  std::uint64_t catalog_operations = 0, catalog_seen = 0;
  std::uint64_t other_operations = 0;  ///< distinct recorded operations that the catalog lacks
};

struct Gathered {
  ApiStats stats;
  std::vector<std::int64_t> durations;

  void add(const cassettes::ListedInteraction& line) {
    const tools::Outcome outcome = tools::outcome_of(line);
    ++stats.calls;
    stats.errors += outcome == tools::Outcome::error ? 1 : 0;
    stats.broken += outcome == tools::Outcome::broken ? 1 : 0;
    stats.withheld += outcome == tools::Outcome::withheld ? 1 : 0;
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
using SeenCall = std::pair<std::string, std::string>;

void add_coverage(const std::map<SeenCall, std::uint64_t>& seen, CassetteStats& stats) {
  std::set<SeenCall> known;
  for (const api::OperationSpec& spec : api::operation_specs()) {
    const SeenCall operation(spec.api, base::fold(spec.method));
    known.insert(operation);
    const auto found = seen.find(operation);
    stats.specified.push_back(
        {operation.first + " " + std::string(spec.method), found == seen.end() ? 0 : found->second});
  }
  for (const api::CatalogOperation& one : api::catalog()) {
    const SeenCall operation(one.api, base::fold(one.method));
    if (!known.insert(operation).second) continue;
    ++stats.catalog_operations;
    stats.catalog_seen += seen.contains(operation) ? 1 : 0;
  }
  stats.other_operations = static_cast<std::uint64_t>(
      std::count_if(seen.begin(), seen.end(), [&](const auto& one) { return !known.contains(one.first); }));
}

CassetteStats stats_of(const std::vector<std::string>& cassettes, const tools::Selection& selection) {
  std::map<std::string, Gathered> apis;
  std::map<SeenCall, std::uint64_t> seen;
  Gathered all;
  api::RequestKey key;
  for (const std::string& cassette : cassettes) {
    open_cassette(cassette).list([&](const cassettes::ListedInteraction& line) {
      if (!selection.has(line)) return true;
      if (line.key != key.text) key = api::RequestKey::parse(line.key);
      apis[key.is_call ? key.api.full() : "(no call)"].add(line);
      if (key.is_call) ++seen[{key.api.rest, key.method}];
      all.add(line);
      return true;
    });
  }
  CassetteStats stats;
  for (auto& [api, gathered] : apis) stats.apis.push_back(gathered.take(api));
  stats.all = all.take("all");
  add_coverage(seen, stats);
  return stats;
}

std::vector<std::string> row_of(const ApiStats& api) {
  return {std::to_string(api.calls),
          std::to_string(api.sequences),
          std::to_string(api.errors),
          std::to_string(api.broken),
          std::to_string(api.withheld),
          human_bytes(api.bytes),
          human_bytes(api.largest),
          one_decimal(api.median_us),
          one_decimal(api.p95_us),
          one_decimal(api.longest_us),
          printable(api.api)};
}

nlohmann::ordered_json json_of(const ApiStats& api) {
  return {{"api", api.api},       {"calls", api.calls},          {"sequences", api.sequences},
          {"errors", api.errors}, {"broken", api.broken},        {"withheld", api.withheld},
          {"bytes", api.bytes},   {"largest", api.largest},      {"median_us", api.median_us},
          {"p95_us", api.p95_us}, {"longest_us", api.longest_us}};
}

void print_calls_json(const CassetteStats& stats) {
  nlohmann::ordered_json out;
  out["apis"] = nlohmann::ordered_json::array();
  for (const ApiStats& api : stats.apis) out["apis"].push_back(json_of(api));
  out["all"] = json_of(stats.all);
  nlohmann::ordered_json specified = nlohmann::ordered_json::object();
  for (const Coverage& one : stats.specified) specified[one.name] = one.calls;
  out["coverage"] = {{"specified", std::move(specified)},
                     {"catalog", {{"operations", stats.catalog_operations}, {"seen", stats.catalog_seen}}},
                     {"others", stats.other_operations}};
  cli::print_json(out);
}

void print_table_of(const CassetteStats& stats) {
  std::vector<std::vector<std::string>> rows;
  for (const ApiStats& api : stats.apis) rows.push_back(row_of(api));
  rows.push_back(row_of(stats.all));
  print_table(
      {"CALLS", "SEQ.", "ERRORS", "BROKEN", "WITHHELD", "BYTES", "LARGEST", "P50 MS", "P95 MS", "MAX MS", "API"}, rows,
      {"P95 MS", "LARGEST", "SEQ.", "WITHHELD", "BROKEN", "P50 MS", "MAX MS"});
  std::cout << "specified operations:\n";
  for (const Coverage& one : stats.specified) {
    std::cout << "  " << one.name << (one.calls == 0 ? " (none)" : fmt::format(" ({})", one.calls)) << '\n';
  }
  std::cout << fmt::format("other operations in the catalog: {} of {}\noperations not in the catalog: {}\n",
                           stats.catalog_seen, stats.catalog_operations, stats.other_operations);
}

}  // namespace

void print_call_counts(const std::vector<std::string>& cassettes, const tools::Selection& selection, bool json) {
  const CassetteStats stats = stats_of(cassettes, selection);
  json ? print_calls_json(stats) : print_table_of(stats);
}

}  // namespace tapedeck::cli
