#include "cli/options/diff_options.h"

#include <CLI/CLI.hpp>

#include "cli/command.h"

namespace tapedeck::cli {

void add_diff_view_options(CLI::App& command, DiffViewOptions& options) {
  command.add_flag("--noise", options.noise, "Show what differs from answer to answer, too, with its class");
  command.add_option("--ignore", options.ignored, "Leave out what is at or below this JSON pointer; * is any one name")
      ->type_name("PATH")
      ->allow_extra_args(false);
  auto* json = command.add_flag("--json", options.json, "Write a JSON object");
  command.add_flag("--markdown", options.markdown, "Write a table for a pull request")->excludes(json);
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
