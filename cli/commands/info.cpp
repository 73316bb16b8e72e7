// tapedeck info: summarizes cassettes, counts their calls, and prints hashes of their content.

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/catalog.h"
#include "api/operation_spec.h"
#include "api/request_key.h"
#include "base/clock.h"
#include "base/text.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/content_hash.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/options/selection_options.h"
#include "cli/reports/cassette_text.h"
#include "tools/selection.h"

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

/// Prints the figures of the selected interactions of all cassettes together, as a table or as JSON.
void print_call_counts(const std::vector<std::string>& cassettes, const tools::Selection& selection, bool json) {
  const CassetteStats stats = stats_of(cassettes, selection);
  json ? print_calls_json(stats) : print_table_of(stats);
}

struct InfoOptions {
  std::vector<std::string> paths;
  tools::Selection selection;
  bool calls = false, hash = false;
  bool json = false;
};

/// The facts about one cassette.
struct Summary {
  std::string path, device, firmware, note, state;
  std::string hint;  ///< what to do if it is not readable
  std::int64_t first_us = 0, last_us = 0;
  std::size_t takes = 0, apis = 0, scopes = 0;
  std::uint64_t interactions = 0, bytes = 0;
  bool readable = true;
};

/// Returns `path`, or for a folder the files below it whose names end in .cassette, sorted by name.
std::vector<std::string> cassettes_at(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return {path};
  std::vector<std::string> found;
  const auto options = std::filesystem::directory_options::skip_permission_denied;
  std::error_code error;
  using Entries = std::filesystem::recursive_directory_iterator;
  for (Entries entry(path, options, error); entry != Entries(); entry.increment(error)) {
    if (entry->path().extension() == ".cassette" && entry->is_regular_file(ignored)) {
      found.push_back(entry->path().string());
    }
  }
  if (error) throw std::runtime_error("cannot list " + path + ": " + error.message() + " (did it change just now?)");
  std::sort(found.begin(), found.end());
  return found;
}

void describe_takes(const cassettes::CassetteInfo& info, Summary& summary) {
  summary.takes = info.takes.size();
  summary.interactions = info.interactions;
  for (const cassettes::Take& take : info.takes) {
    const bool first = &take == &info.takes.front();
    summary.first_us = first ? take.started_us : std::min(summary.first_us, take.started_us);
    summary.last_us = first ? take.ended_us : std::max(summary.last_us, take.ended_us);
    // The newest take that names a model wins.
    if (!take.model.empty()) summary.device = take.model;
    if (!take.model.empty()) summary.firmware = take.firmware;
    if (!take.note.empty()) summary.note = take.note;
  }
  summary.state = !info.finished ? "unfinished" : info.verified ? "finished" : "unverified";
}

Summary summary_of(const std::string& path) {
  Summary summary;
  summary.path = path;
  std::error_code ignored;
  summary.bytes = std::filesystem::file_size(path, ignored);
  if (ignored) summary.bytes = 0;
  try {
    const cassettes::CassetteReader reader(path);
    describe_takes(reader.info(), summary);
    std::set<std::string> apis, scopes;
    for (const auto& operation : reader.operations()) apis.insert(operation.api);
    reader.scopes([&](const cassettes::ScopeTake& scope) {
      scopes.insert(scope.name);
      return true;
    });
    summary.apis = apis.size();
    summary.scopes = scopes.size();
  } catch (const cassettes::CassetteError& error) {
    summary.readable = false;
    std::string_view why = error.what();
    summary.state = base::take_until(why, '\n');
    summary.hint = why;
  }
  return summary;
}

std::string or_dash(const std::string& text) { return text.empty() ? "-" : printable(text); }

std::vector<std::string> row_of(const Summary& one) {
  const bool dated = one.takes > 0;
  return {dated ? base::human_day(one.first_us) : "-",
          dated ? base::human_day(one.last_us) : "-",
          std::to_string(one.takes),
          std::to_string(one.interactions),
          std::to_string(one.apis),
          std::to_string(one.scopes),
          human_bytes(one.bytes),
          or_dash(one.device + (one.firmware.empty() ? "" : " " + one.firmware)),
          or_dash(one.state),
          printable(one.path),
          one.note.empty() ? "" : printable(one.note)};
}

nlohmann::ordered_json json_of(const Summary& one) {
  return {{"cassette", one.path},
          {"model", one.device},
          {"firmware", one.firmware},
          {"first_us", one.first_us},
          {"last_us", one.last_us},
          {"takes", one.takes},
          {"interactions", one.interactions},
          {"apis", one.apis},
          {"scopes", one.scopes},
          {"bytes", one.bytes},
          {"note", one.note},
          {"state", one.state},
          {"readable", one.readable}};
}

std::vector<std::string> cassettes_of(const InfoOptions& options) {
  std::vector<std::string> all;
  for (const std::string& path : options.paths) {
    for (std::string& cassette : cassettes_at(path)) all.push_back(std::move(cassette));
  }
  return all;
}

void print_hashes(const std::vector<std::string>& cassettes, bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const std::string& cassette : cassettes) {
    const std::string hash = cassettes::content_hash(open_cassette(cassette));
    if (!json) std::cout << hash << "  " << printable(cassette) << '\n';
    list.push_back({{"cassette", cassette}, {"hash", hash}});
  }
  if (json) cli::print_json(list);
}

int print_summaries(const std::vector<std::string>& cassettes, bool json) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows;
  bool all_readable = true;
  std::set<std::string> hints;
  for (const std::string& cassette : cassettes) {
    mention_side_files(cassette);
    const Summary summary = summary_of(cassette);
    all_readable &= summary.readable;
    if (!summary.hint.empty()) hints.insert(summary.hint);
    rows.push_back(row_of(summary));
    list.push_back(json_of(summary));
  }
  if (json) {
    cli::print_json(list);
  } else {
    print_table({"FIRST", "LAST", "TAKES", "CALLS", "APIS", "SCOPES", "SIZE", "DEVICE", "STATE", "CASSETTE", "NOTE"},
                rows, {"NOTE", "FIRST", "SCOPES", "TAKES", "APIS", "CALLS", "SIZE", "STATE"});
  }
  for (const std::string& hint : hints) std::cerr << hint << '\n';
  return all_readable ? fine : usage;
}

int info(const InfoOptions& options) {
  if (!options.calls && !options.selection.is_all()) throw UsageError("filters require --calls");
  const std::vector<std::string> cassettes = cassettes_of(options);
  if (options.calls) {
    print_call_counts(cassettes, options.selection, options.json);
  } else if (options.hash) {
    print_hashes(cassettes, options.json);
  } else {
    return print_summaries(cassettes, options.json);
  }
  return fine;
}

}  // namespace

void add_info(Command& program) {
  auto [command, options] = program.command("info", "Summarize each cassette in one line, or count its calls", info);
  command.argument("CASSETTE|DIR ...", into(options.paths), "Cassettes, or folders that contain *.cassette files")
      .required();
  command.flag("--calls", options.calls, "Count calls, errors, sizes, and times by API instead, in all together");
  command.flag("--hash", options.hash, "Print a hash of each cassette's content instead").exclude({"--calls"});
  command.flag("--json", options.json, "Print JSON");
  add_selection_options(command, options.selection);
  command.details =
      "The summary has dates, takes, calls, APIs, scopes, size, state, note, and the model and firmware of the device "
      "if "
      "a response contains them. The exit status is 2 if a cassette cannot be read. With --calls, times run from the "
      "request to the end of the response, a sequence contains the responses to one request in one take and lane, and "
      "the last lines show how many of the known operations are covered. The hash covers requests, responses, their "
      "order, and redactions, but not times and program versions, so equal recordings have equal hashes everywhere.";
  command.common = {"--calls", "--hash", "--json"};
  command.examples = {{"Summarize all cassettes in a folder", "tapedeck info tests/"},
                      {"Count the calls of the last day", "tapedeck info --calls --since 1d nas.cassette"}};
}

}  // namespace tapedeck::cli
