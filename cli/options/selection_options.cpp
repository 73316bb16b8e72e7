#include "cli/options/selection_options.h"

#include <algorithm>

#include "api/scope_name.h"
#include "base/clock.h"
#include "cli/arguments/values.h"
#include "cli/options/headings.h"
#include "cli/options/replay_options.h"
#include "replay/language/call_pattern.h"

namespace tapedeck::cli {
namespace {

Destination time_into(std::optional<std::int64_t>& time_us) {
  return parsed(
      time_us, [](const std::string& text) { return tools::time_of(text, base::now_us()); },
      "must be a UTC time such as 2026-11-22, 2026-11-22T16:00, or 2026-11-22T16:00:05, or an age such as 90s, 30m, "
      "2h, or 3d");
}

}  // namespace

void add_selection_options(Command& command, tools::Selection& selection) {
  const Heading heading(command, headings::filters);
  command.option("--call", "API/METHOD",
                 parsed(selection.calls, calls_named,
                        "must be an API and a method such as Core.Share/list, Core.Share, or Core.*/get"),
                 "Only these calls: Core.Share/list, Core.Share for all its methods, Core.* for a group");
  command.option("--scope", "NAME", stored_scopes_into(selection.scopes),
                 "Only calls recorded in this scope; '' for calls without a scope");
  command.option("--take", "N", whole_number(selection.takes), "Only calls recorded in this take");
  command.option("--outcome", "OUTCOME",
                 parsed(selection.outcomes, tools::outcome_named, "must be one of ok, error, broken, withheld"),
                 "Only calls with this outcome: ok, error, broken, or withheld");
  command.option(
      "--status", "STATUS",
      parsed(selection.statuses, tools::StatusFilter::parse, "must be a status such as 404, 4xx, 200/105, or /105"),
      "Only this HTTP status, or HTTP status/API error code: 404, 4xx, 200/105, /105");
  command.option("--since", "TIME", time_into(selection.since_us),
                 "Only calls after this UTC time, or within this age: 2026-11-22, 2026-11-22T16:00, 2h, 3d");
}

std::optional<tools::CallFilter> calls_named(const std::string& text) {
  std::string whole = text;
  const auto slashes = std::count(text.begin(), text.end(), '/');
  if (slashes == 0) whole += "/*/*";
  if (slashes == 1) whole.insert(text.find('/'), "/*");
  const auto pattern = replay::CallPattern::parse(whole);
  if (!pattern) return std::nullopt;
  return [pattern = *pattern](const api::Call& call) { return pattern.fits(call); };
}

Destination stored_scopes_into(std::vector<std::string>& scopes) {
  const auto stored = [](const std::string& text) -> std::optional<std::string> {
    if (text.empty()) return text;
    const auto scope = api::ScopeName::parse(text);
    return scope ? std::optional(scope->name) : std::nullopt;
  };
  return parsed(scopes, stored, scope_syntax);
}

}  // namespace tapedeck::cli
