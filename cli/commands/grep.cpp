// tapedeck grep: searches a cassette for a text or a regular expression.

#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/app.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/options/selection_options.h"
#include "cli/reports/cassette_text.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"
#include "tools/grep.h"

namespace tapedeck::cli {
namespace {

struct GrepCommandOptions {
  std::string cassette;
  tools::GrepOptions grep;
  SelectionOptions filters;
  bool json = false;
};

void print_hit(const tools::GrepHit& hit, std::size_t width) {
  for (const tools::GrepMatch& match : hit.matches) {
    const std::string line = fmt::format("{}  {}  {}:{}: {}", hit.interaction.id, printable(hit.interaction.key),
                                         match.place, match.line, printable(match.text));
    std::cout << (width > 0 ? cut_to(line, width) : line) << '\n';
  }
}

nlohmann::ordered_json json_of(const tools::GrepHit& hit) {
  nlohmann::ordered_json out = {{"id", hit.interaction.id}, {"key", hit.interaction.key}};
  if (!hit.interaction.scope.empty()) out["scope"] = api::shown_scope(hit.interaction.scope);
  out["matches"] = nlohmann::ordered_json::array();
  for (const tools::GrepMatch& match : hit.matches) {
    out["matches"].push_back(
        {{"place", match.place}, {"line", match.line}, {"column", match.column}, {"text", match.text}});
  }
  return out;
}

int grep(const GrepCommandOptions& options) {
  const tools::Selection selection = selection_of(options.filters);
  const cassettes::CassetteReader reader(options.cassette);
  warn_about(reader.info(), options.cassette);
  const std::size_t width = terminal_width();
  const char* separator = "[\n";
  bool found = false;
  try {
    tools::grep(reader, options.grep, selection, [&](const tools::GrepHit& hit) {
      found = true;
      if (options.json) {
        std::cout << separator << json_of(hit).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
        separator = ",\n";
      } else {
        print_hit(hit, width);
      }
      return std::cout.good();
    });
  } catch (const std::invalid_argument& error) {
    throw UsageError("invalid regular expression (RE2): " + std::string(error.what()) +
                     "\nhint: `-F` searches for plain text");
  }
  if (options.json) std::cout << (found ? "\n]\n" : "[]\n");
  return found ? fine : run_failed;
}

}  // namespace

void add_grep(Command& program) {
  auto options = std::make_shared<GrepCommandOptions>();
  Command& command = program.command("grep", "Search keys, parameters, headers, and bodies");
  command.argument("PATTERN", into(options->grep.pattern), "Regular expression (RE2 syntax)").required();
  command.argument("CASSETTE", into(options->cassette), "Cassette to read").required();
  command.flag("-F,--fixed", options->grep.fixed, "Treat PATTERN as plain text");
  command.flag("-i,--ignore-case", options->grep.ignore_case, "Ignore case");
  add_selection_options(command, options->filters);
  command.flag("--json", options->json, "Print a JSON array");
  command.details =
      "Searches the stored text, with placeholders in place of secrets. Prints one line for each match: ID, key, "
      "place, and text. The exit status is 1 if nothing matches.";
  command.examples = {
      {"Find a share name", "tapedeck grep -F photos nas.cassette"},
      {"Find IPv4 addresses in one API", "tapedeck grep --api Core.Network '192\\.0\\.2\\.[0-9]+' nas.cassette"}};
  command.action = [options] { return grep(*options); };
}

}  // namespace tapedeck::cli
