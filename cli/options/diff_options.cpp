#include "cli/options/diff_options.h"

#include "cli/arguments/values.h"
#include "cli/console/usage_error.h"

namespace tapedeck::cli {

void add_diff_view_options(Command& command, DiffViewOptions& options) {
  command.flag("--noise", options.noise, "Also show values that change in every response, such as times");
  command.option("--ignore", "PATH", into(options.ignored),
                 "Ignore differences at or below this JSON pointer; * matches any name");
  command.flag("--json", options.json, "Print JSON");
  command.flag("--markdown", options.markdown, "Print a Markdown table for a pull request").exclude({"--json"});
}

void check(const DiffViewOptions& options) {
  for (const std::string& path : options.ignored) {
    if (!path.starts_with('/')) throw UsageError("--ignore must be a JSON pointer such as /data/time, not " + path);
  }
}

}  // namespace tapedeck::cli
