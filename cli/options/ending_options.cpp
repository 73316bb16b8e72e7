#include "cli/options/ending_options.h"

#include "cli/arguments/command.h"

namespace tapedeck::cli {

void add_ending_options(Command& command, EndingOptions& options) {
  command.flag("--exit-with-parent", options.with_parent, "Stop when the parent process ends");
  command.flag("--exit-with-stdin", options.with_stdin,
               "Stop when standard input is closed");
}

}  // namespace tapedeck::cli
