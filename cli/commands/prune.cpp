// tapedeck prune: removes unused recordings from a cassette.

#include <filesystem>

#include "base/descriptor.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/usage_error.h"
#include "cli/options/replay_options.h"
#include "cli/options/selection_options.h"
#include "cli/running/cassette_rewrite.h"
#include "tools/prune.h"

namespace tapedeck::cli {
namespace {

struct PruneOptions {
  std::string cassette;
  tools::PruneRules rules;
  std::vector<std::string> reports;
  bool dry_run = false;
  bool json = false;
};

std::string read_report(const std::string& path) {
  auto text = base::read_file(path);
  if (!text) throw UsageError("--unused: cannot read " + path);
  return *std::move(text);
}

/// Returns true if both paths are the same cassette. The test run may have used another path for it.
bool names_same_cassette(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return a == b || std::filesystem::equivalent(a, b, ignored) ||
         std::filesystem::path(a).filename() == std::filesystem::path(b).filename();
}

std::vector<tools::UnusedSequence> unused_in(const std::string& report, const std::string& cassette) {
  try {
    std::vector<tools::UnusedSequence> unused = tools::unused_in_report(read_report(report));
    std::erase_if(unused, [&](const auto& one) { return !names_same_cassette(one.cassette, cassette); });
    for (tools::UnusedSequence& one : unused) one.cassette.clear();
    return unused;
  } catch (const std::invalid_argument& error) {
    throw UsageError(report + ": " + error.what());
  }
}

int prune(PruneOptions& options) {
  std::vector<std::vector<tools::UnusedSequence>> reports;
  for (const std::string& report : options.reports) reports.push_back(unused_in(report, options.cassette));
  options.rules.by_reports = !reports.empty();
  options.rules.unused = tools::in_all(std::move(reports));
  const tools::PruneRules& rules = options.rules;
  if (rules.takes.empty() && rules.scopes.empty() && !rules.superseded && !rules.broken && !rules.by_reports) {
    throw UsageError("nothing to remove: choose --take, --scope, --superseded, --broken, or --unused");
  }
  cassettes::Rewriting rewriting(options.cassette);
  return remove(rewriting, tools::pruned(rewriting.reader(), rules), options.dry_run, options.json);
}

}  // namespace

void add_prune(Command& program) {
  auto [command, options] = program.command("prune", "Remove unused recordings", prune);
  command.argument("CASSETTE", into(options.cassette), "Cassette to change").required();
  command.option("--take", "N", whole_number(options.rules.takes),
                 "Only in this take; without other rules, remove the whole take");
  command.option("--scope", "NAME", stored_scopes_into(options.rules.scopes),
                 "Only in this scope; without other rules, remove the whole scope");
  command.flag("--superseded", options.rules.superseded, "Remove recordings that a newer take replaces");
  command.flag("--broken", options.rules.broken, "Remove responses that are incomplete or malformed");
  command.option("--unused", "REPORT", into(options.reports),
                 "Remove recordings that this report of `exec --report` lists as unused");
  command.flag("--dry-run", options.dry_run, "Show what would be removed, without changes");
  command.flag("--json", options.json, "Print JSON (an array with --dry-run)");
  command.details =
      "--take and --scope restrict where to remove; the other options choose what to remove. If --unused is repeated, "
      "only recordings that are unused in all reports are removed.";
  command.examples = {{"Remove recordings that a newer take replaces", "tapedeck prune --superseded nas.cassette"},
                      {"Remove what a test run did not use", "tapedeck prune --unused report.json nas.cassette"}};
}

}  // namespace tapedeck::cli
