// tapedeck pick: writes part of a cassette to a new one.

#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/options/selection_options.h"
#include "cli/reports/cassette_text.h"
#include "cli/running/cassette_rewrite.h"
#include "tools/content/rewrite.h"

namespace tapedeck::cli {
namespace {

struct PickOptions {
  std::string cassette, out;
  tools::Selection selection;
  std::vector<std::string> ids;
  bool json = false;
};

int pick(const PickOptions& options) {
  tools::Selection selection = options.selection;
  const cassettes::CassetteReader reader = open_cassette(options.cassette);
  selection.ids = whole_ids(reader, options.cassette, options.ids);
  const auto content = cassettes::open_checked_material(options.cassette);
  tools::KeptMaterial part(*content, reader, [&](const auto& line) { return selection.has(line); });
  return report_rewrite(write_new(options.out, part), options.out, options.json);
}

}  // namespace

void add_pick(Command& program) {
  auto [command, options] = program.command("pick", "Copy some interactions to a new cassette", pick);
  command.argument("CASSETTE", into(options.cassette), "Cassette to read").required();
  command.argument("ID ...", into(options.ids), "IDs from `tapedeck ls`");
  command.option("-o,--out", "OUT", into(options.out), "New cassette; the file must not exist").required();
  add_selection_options(command, options.selection);
  command.flag("--json", options.json, "Print JSON");
  command.details = "Interactions keep their IDs, sessions, and lanes.";
  command.examples = {{"Copy one scope", "tapedeck pick --scope login.spec -o login.cassette nas.cassette"},
                      {"Copy one interaction", "tapedeck pick -o one.cassette nas.cassette 3f9a"}};
}

}  // namespace tapedeck::cli
