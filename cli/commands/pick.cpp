// tapedeck pick: a new cassette out of a part of one.

#include <memory>

#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/options/selection_options.h"
#include "cli/reports/cassette_text.h"
#include "cli/running/cassette_rewrite.h"
#include "tools/rewrite.h"

namespace tapedeck::cli {
namespace {

struct PickOptions {
  std::string cassette, out;
  SelectionOptions filters;
  std::vector<std::string> ids;
  bool json = false;
};

int pick(const PickOptions& options) {
  tools::Selection selection = selection_of(options.filters);
  const cassettes::CassetteReader reader(options.cassette);
  warn_about(reader.info(), options.cassette);
  selection.ids = whole_ids(reader, options.cassette, options.ids);
  const auto content = cassettes::open_checked_material(options.cassette);
  tools::KeptMaterial part(*content, tools::kept_of(reader, [&](const auto& line) { return selection.has(line); }));
  return report_rewrite(write_new(options.out, part), options.out, options.json);
}

}  // namespace

void add_pick(Command& program) {
  auto options = std::make_shared<PickOptions>();
  Command& command = program.command("pick", "Make a new cassette of the part that filters name");
  command.argument("CASSETTE", into(options->cassette), "The cassette").required();
  command.argument("ID", into(options->ids), "Only these, by the ids that `tapedeck ls` shows");
  command.option("-o,--out", "OUT", into(options->out), "The new cassette; nothing may be there").required();
  add_selection_options(command, options->filters);
  command.flag("--json", options->json, "Write a JSON object");
  command.details = "Interactions keep their ids, sessions and lanes.";
  command.action = [options] { return pick(*options); };
}

}  // namespace tapedeck::cli
