#include "cli/options/diff_options.h"

#include "cli/arguments/values.h"
#include "cli/usage_error.h"

namespace tapedeck::cli {

void add_diff_view_options(Command& command, DiffViewOptions& options) {
  command.flag("--noise", options.noise, "Show what differs from answer to answer, too, with its class");
  command.option("--ignore", "PATH", into(options.ignored),
                 "Leave out what is at or below this JSON pointer; * is any one name");
  command.flag("--json", options.json, "Write a JSON object");
  command.flag("--markdown", options.markdown, "Write a table for a pull request").exclude({"--json"});
}

void check(const DiffViewOptions& options) {
  for (const std::string& path : options.ignored) {
    if (!path.starts_with('/')) throw UsageError("--ignore takes a JSON pointer, as /data/time: " + path);
  }
}

DiffForm form_of(const DiffViewOptions& options) {
  return options.json ? DiffForm::json : options.markdown ? DiffForm::markdown : DiffForm::text;
}

}  // namespace tapedeck::cli
