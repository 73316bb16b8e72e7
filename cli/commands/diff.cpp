// tapedeck diff: compares two cassettes.

#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/options/rule_options.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/diff_report.h"
#include "tools/diff/cassette_diff.h"

namespace tapedeck::cli {
namespace {

struct DiffOptions {
  std::string before, after;
  DiffViewOptions view;
  PrivateCommandOptions private_values;
};

int run_diff(const DiffOptions& options) {
  check(options.view);
  const cassettes::CassetteReader before = open_cassette(options.before), after = open_cassette(options.after);
  tools::DiffOptions how;
  how.ignored = options.view.ignored;
  how.private_values = reading_profile(options.private_values);
  const tools::DiffResult result = compared(before, after, std::move(how));
  print_diff(result, options.view);
  return result.differs() ? run_failed : fine;
}

}  // namespace

void add_diff(Command& program) {
  auto [command, options] = program.command("diff", "Compare two cassettes", run_diff);
  command.argument("BEFORE", into(options.before), "Older cassette").required();
  command.argument("AFTER", into(options.after), "Newer cassette").required();
  add_private_key_option(command, options.private_values);
  add_diff_view_options(command, options.view);
  command.details =
      "The exit status is 1 if the cassettes differ. Values that only the device draws, such as times, counters, and "
      "generated IDs, are equal; --noise shows them.";
  command.examples = {
      {"Compare two cassettes", "tapedeck diff old.cassette new.cassette"},
      {"Ignore a time in all responses", "tapedeck diff --ignore /data/time old.cassette new.cassette"}};
}

}  // namespace tapedeck::cli
