#include "cli/options/ending_options.h"

#include "cli/arguments/command.h"

namespace tapedeck::cli {

void add_ending_options(Command& command, EndingOptions& options) {
  command.flag("--exit-with-parent", options.with_parent, "End when the process that started it has gone");
  command.flag("--exit-with-stdin", options.with_stdin,
               "End when standard input ends: a pipe that the starting process holds open");
}

}  // namespace tapedeck::cli
