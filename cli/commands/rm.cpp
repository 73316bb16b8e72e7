// tapedeck rm: removes interactions from a cassette, by their IDs, by filters, or because nothing uses them.

#include <filesystem>

#include "base/descriptor.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/usage_error.h"
#include "cli/options/selection_options.h"
#include "cli/running/cassette_rewrite.h"
#include "tools/prune.h"

namespace tapedeck::cli {
namespace {

struct RmOptions {
  std::string cassette;
  std::vector<std::string> ids;
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

tools::UseReport use_in(const std::string& report, const std::string& cassette) {
  try {
    return tools::use_in_report(read_report(report),
                                [&](const std::string& path) { return names_same_cassette(path, cassette); });
  } catch (const std::invalid_argument& error) {
    throw UsageError(report + ": " + error.what());
  }
}

int rm(RmOptions& options) {
  tools::PruneRules& rules = options.rules;
  for (const std::string& report : options.reports) rules.reports.push_back(use_in(report, options.cassette));
  if (options.ids.empty() && rules.within.is_all() && !rules.superseded && rules.reports.empty()) {
    throw UsageError("nothing to remove: give an ID, a filter, --superseded, or --unused");
  }
  cassettes::Rewriting rewriting(options.cassette);
  rules.within.ids = whole_ids(rewriting.reader(), options.cassette, options.ids);
  const auto gone = tools::pruned(rewriting.reader(), rules);
  const int status = remove(rewriting, gone, options.dry_run, options.json);
  const bool is_check = options.dry_run && !rules.reports.empty();
  return status == fine && is_check && !gone.empty() ? static_cast<int>(incomplete) : status;
}

}  // namespace

void add_rm(Command& program) {
  auto [command, options] = program.command("rm", "Remove interactions from a cassette", rm);
  command.argument("CASSETTE", into(options.cassette), "Cassette to change").required();
  command.argument("ID ...", into(options.ids), "IDs from `tapedeck ls`, or at least their first 4 digits");
  command.flag("--superseded", options.rules.superseded, "Remove recordings that a newer take replaces");
  command.option("--unused", "REPORT", into(options.reports),
                 "Remove recordings that this report of `exec --report` lists as unused");
  command.flag("--dry-run", options.dry_run, "Show what would be removed, without changes");
  command.flag("--json", options.json, "Print JSON (an array with --dry-run)");
  add_selection_options(command, options.rules.within);
  command.details =
      "Removes what the IDs and all kinds of filters select. With --superseded or --unused, removes only what is "
      "replaced or unused among that. With several reports, such as those of all shards, removes recordings that no "
      "run used, and those of scopes that never ran. With --unused and --dry-run, the exit status is 3 if there are "
      "any.";
  command.examples = {{"Show what would be removed", "tapedeck rm --dry-run nas.cassette 3f9a"},
                      {"Remove a scope", "tapedeck rm nas.cassette --scope login.spec"},
                      {"Remove what a test run did not use", "tapedeck rm nas.cassette --unused report.json"}};
}

}  // namespace tapedeck::cli
