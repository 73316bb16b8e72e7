#include "cli/options/selection_options.h"

#include "api/scope_name.h"
#include "base/clock.h"
#include "cli/arguments/values.h"
#include "cli/console/usage_error.h"
#include "cli/options/headings.h"
#include "cli/options/replay_options.h"

namespace tapedeck::cli {
namespace {

std::optional<std::int64_t> time_given(const char* option, const std::string& text) {
  if (text.empty()) return std::nullopt;
  const auto time = tools::time_of(text, base::now_us());
  if (time) return time;
  throw UsageError(std::string(option) + " " + text +
                   ": must be a UTC time such as 2026-11-22, 2026-11-22T16:00, or 2026-11-22T16:00:05, or an age such "
                   "as 90s, 30m, 2h, 3d, or 1w");
}

}  // namespace

void add_selection_options(Command& command, SelectionOptions& options) {
  const Heading heading(command, headings::filters);
  const auto add = [&](const char* name, std::vector<std::string>& values, const char* type, const char* text) {
    command.option(name, type, into(values), text);
  };
  add("--api", options.apis, "API", "Only calls of this API: SYNO.Core.Share, Core.Share, or Core.* for a group");
  add("--method", options.methods, "METHOD", "Only calls of this method");
  add("--scope", options.scopes, "NAME", "Only calls recorded in this scope; '' for calls without a scope");
  command.option("--take", "N", whole_number(options.takes), "Only calls recorded in this take");
  add("--outcome", options.outcomes, "OUTCOME", "Only calls with this outcome: ok, error, broken, or withheld");
  add("--status", options.statuses, "STATUS",
      "Only this HTTP status, or HTTP status/API error code: 404, 4xx, 200/105, /105");
  command.option("--since", "TIME", into(options.since),
                 "Only calls after this UTC time, or within this age: 2026-11-22, 2026-11-22T16:00, 2h, 3d");
  command.option("--until", "TIME", into(options.until), "Only calls before this time");
}

std::string stored_scope(const std::string& spelled) {
  return spelled.empty() ? std::string() : scope_named("--scope", spelled).name;
}

tools::Selection selection_of(const SelectionOptions& options) {
  tools::Selection selection;
  selection.apis = options.apis;
  selection.methods = options.methods;
  selection.takes = options.takes;
  for (const std::string& scope : options.scopes) selection.scopes.push_back(stored_scope(scope));
  for (const std::string& word : options.outcomes) {
    const auto outcome = tools::outcome_named(word);
    if (!outcome)
      throw UsageError("invalid value `" + word + "` for --outcome: must be one of ok, error, broken, withheld");
    selection.outcomes.push_back(*outcome);
  }
  for (const std::string& text : options.statuses) {
    const auto status = tools::StatusFilter::parse(text);
    if (!status)
      throw UsageError("invalid value `" + text +
                       "` for --status: must be a status such as 404, 4xx, 200/105, or /105");
    selection.statuses.push_back(*status);
  }
  selection.since_us = time_given("--since", options.since);
  selection.until_us = time_given("--until", options.until);
  return selection;
}

}  // namespace tapedeck::cli
