// tapedeck rm: removes interactions from a cassette.

#include <unordered_set>

#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/running/cassette_rewrite.h"
#include "tools/content/rewrite.h"

namespace tapedeck::cli {
namespace {

struct RmOptions {
  std::string cassette;
  std::vector<std::string> ids;
  bool dry_run = false;
  bool json = false;
};

int rm(const RmOptions& options) {
  cassettes::Rewriting rewriting(options.cassette);
  std::unordered_set<std::uint64_t> gone;
  for (const std::string& id : whole_ids(rewriting.reader(), options.cassette, options.ids))
    gone.insert(tools::id_number(id));
  return remove(rewriting, gone, options.dry_run, options.json);
}

}  // namespace

void add_rm(Command& program) {
  auto [command, options] = program.command("rm", "Remove interactions from a cassette", rm);
  command.argument("CASSETTE", into(options.cassette), "Cassette to change").required();
  command.argument("ID ...", into(options.ids), "IDs from `tapedeck ls`, or at least their first 4 digits").required();
  command.flag("--dry-run", options.dry_run, "Show what would be removed, without changes");
  command.flag("--json", options.json, "Print JSON (an array with --dry-run)");
  command.examples = {{"Show what would be removed", "tapedeck rm --dry-run nas.cassette 3f9a"},
                      {"Remove two interactions", "tapedeck rm nas.cassette 3f9a 81c2"}};
}

}  // namespace tapedeck::cli
