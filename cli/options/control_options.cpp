#include "cli/options/control_options.h"

#include "cli/arguments/values.h"
#include "cli/options/headings.h"

namespace tapedeck::cli {

bool wants_page(const ControlOptions& options) { return options.ui || options.open; }

bool wants_control(const ControlOptions& options) { return !options.control.empty() || wants_page(options); }

void add_control_options(Command& command, ControlOptions& options) {
  const Heading heading(command, headings::watching);
  command.option("--control", "HOST:PORT", into(options.control), "Serve the control API on this loopback address");
  command.option("--journal", "FILE", into(options.journal),
                 "Append the reason for each response to this file, as scrubbed JSON lines");
  command.flag("--ui", options.ui, "Serve a web page that shows requests and the reasons for their responses");
  command.flag("--open", options.open, "Like --ui, and open the page in the browser");
}

}  // namespace tapedeck::cli
