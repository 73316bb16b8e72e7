// tapedeck stats: prints figures of a cassette by API.

#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cassettes/read/cassette_reader.h"
#include "cli/app.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/options/selection_options.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/print_json.h"
#include "cli/terminal.h"
#include "tools/stats.h"

namespace tapedeck::cli {
namespace {

struct StatsOptions {
  std::string cassette;
  SelectionOptions filters;
  bool json = false;
};

std::vector<std::string> row_of(const tools::ApiStats& api) {
  const auto ms = [](std::int64_t us) { return one_decimal(us); };
  return {std::to_string(api.calls),
          std::to_string(api.sequences),
          std::to_string(api.errors),
          std::to_string(api.broken),
          std::to_string(api.withheld),
          human_bytes(api.bytes),
          human_bytes(api.largest),
          ms(api.median_us),
          ms(api.p95_us),
          ms(api.longest_us),
          printable(api.api)};
}

nlohmann::ordered_json json_of(const tools::ApiStats& api) {
  return {{"api", api.api},       {"calls", api.calls},          {"sequences", api.sequences},
          {"errors", api.errors}, {"broken", api.broken},        {"withheld", api.withheld},
          {"bytes", api.bytes},   {"largest", api.largest},      {"median_us", api.median_us},
          {"p95_us", api.p95_us}, {"longest_us", api.longest_us}};
}

void print_json(const tools::CassetteStats& stats) {
  nlohmann::ordered_json out;
  out["apis"] = nlohmann::ordered_json::array();
  for (const tools::ApiStats& api : stats.apis) out["apis"].push_back(json_of(api));
  out["all"] = json_of(stats.all);
  nlohmann::ordered_json specified = nlohmann::ordered_json::object();
  for (const tools::Coverage& one : stats.specified) specified[one.name] = one.calls;
  out["coverage"] = {{"specified", std::move(specified)},
                     {"catalog", {{"operations", stats.catalog_operations}, {"seen", stats.catalog_seen}}},
                     {"others", stats.other_operations}};
  cli::print_json(out);
}

void print_table_of(const tools::CassetteStats& stats) {
  std::vector<std::vector<std::string>> rows;
  for (const tools::ApiStats& api : stats.apis) rows.push_back(row_of(api));
  rows.push_back(row_of(stats.all));
  print_table(
      {"CALLS", "SEQ.", "ERRORS", "BROKEN", "WITHHELD", "BYTES", "LARGEST", "P50 MS", "P95 MS", "MAX MS", "API"}, rows,
      {"P95 MS", "LARGEST", "SEQ.", "WITHHELD", "BROKEN", "P50 MS", "MAX MS"});
  std::cout << "specified operations:";
  const char* separator = " ";
  for (const tools::Coverage& one : stats.specified) {
    std::cout << separator << one.name << (one.calls == 0 ? " (none)" : fmt::format(" ({})", one.calls));
    separator = ", ";
  }
  std::cout << fmt::format("\nother operations in the catalog: {} of {}\noperations not in the catalog: {}\n",
                           stats.catalog_seen, stats.catalog_operations, stats.other_operations);
}

int stats(const StatsOptions& options) {
  const tools::Selection selection = selection_of(options.filters);
  const cassettes::CassetteReader reader(options.cassette);
  warn_about(reader.info(), options.cassette);
  const tools::CassetteStats found = tools::stats_of(reader, selection);
  if (options.json) {
    print_json(found);
  } else {
    print_table_of(found);
  }
  return fine;
}

}  // namespace

void add_stats(Command& program) {
  auto options = std::make_shared<StatsOptions>();
  Command& command = program.command("stats", "Count calls, errors, sizes, and times by API");
  command.argument("CASSETTE", into(options->cassette), "Cassette to read").required();
  add_selection_options(command, options->filters);
  command.flag("--json", options->json, "Print JSON");
  command.details =
      "Times run from the request to the end of the response. A sequence contains the responses to one request in one "
      "take and lane. The last lines show how many of the known operations the cassette covers.";
  command.examples = {{"Count the calls of each API", "tapedeck stats nas.cassette"},
                      {"Count only the last day", "tapedeck stats --since 1d nas.cassette"}};
  command.action = [options] { return stats(*options); };
}

}  // namespace tapedeck::cli
