// tapedeck scope rename: renames scopes in a cassette.

#include <iostream>
#include <map>
#include <set>

#include "api/scope_name.h"
#include "cassettes/finish/finish.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/reports/finish_report.h"

namespace tapedeck::cli {
namespace {

struct ScopeOptions {
  std::string cassette, old_name, new_name;
};

/// Maps the stored name of each scope to its takes.
using Takes = std::map<std::string, std::set<std::uint32_t>>;

Takes takes_of(const cassettes::CassetteReader& reader) {
  Takes takes;
  reader.scopes([&](const cassettes::ScopeTake& scope) {
    if (!scope.name.empty()) takes[scope.name].insert(scope.take);
    return true;
  });
  return takes;
}

api::ScopeName name_in(const std::string& text) {
  const auto scope = api::ScopeName::parse(text);
  if (!scope || scope->run != 1)
    throw UsageError(text + " is not a valid scope: must be percent-encoded UTF-8 of at most 1,000 bytes");
  return *scope;
}

/// Returns the new name of each renamed scope. A `*` at the end of both names replaces the prefix of all matching
/// scopes.
std::map<std::string, std::string> renames(const ScopeOptions& options, const Takes& takes) {
  std::string_view old_name = options.old_name, new_name = options.new_name;
  std::map<std::string, std::string> names;
  for (const auto& [stored, unused] : takes) {
    if (api::shown_scope(stored) == old_name) return {{stored, name_in(options.new_name).name}};
  }
  if (old_name.ends_with('*') && !new_name.ends_with('*')) throw UsageError("OLD ends in *, so NEW must end in *, too");
  if (old_name.ends_with('*')) {
    old_name.remove_suffix(1);
    new_name.remove_suffix(1);
    for (const auto& [stored, unused] : takes) {
      const std::string shown = api::shown_scope(stored);
      if (!shown.starts_with(old_name)) continue;
      names[stored] = name_in(std::string(new_name) + shown.substr(old_name.size())).name;
    }
  }
  if (names.empty())
    throw UsageError("no such scope: " + options.old_name + "\nhint: `tapedeck ls --scopes` lists the scopes");
  return names;
}

cassettes::FinishOptions renaming(const ScopeOptions& options) {
  const cassettes::CassetteReader reader(options.cassette);
  if (!reader.info().finished)
    throw UsageError(options.cassette + " is unfinished\nhint: finish it with `tapedeck scrub`");
  const Takes takes = takes_of(reader);
  cassettes::FinishOptions finishing;
  finishing.scan = false;
  finishing.rename_scopes = renames(options, takes);
  for (const auto& [old_name, new_name] : finishing.rename_scopes) {
    const auto there = takes.find(new_name);
    if (there == takes.end() || (old_name != new_name && finishing.rename_scopes.contains(new_name))) continue;
    for (const std::uint32_t take : there->second) {
      if (!takes.at(old_name).contains(take)) continue;
      throw UsageError("take " + std::to_string(take) + " already has a scope " + api::shown_scope(new_name));
    }
  }
  return finishing;
}

int rename(const ScopeOptions& options) {
  const cassettes::FinishReport report = cassettes::finish(options.cassette, renaming(options));
  if (!report.finished) std::cerr << "tapedeck: " << printable(report.failure) << '\n';
  return finish_status(report);
}

}  // namespace

void add_scope(Command& program) {
  Command& scope = program.command("scope", "Rename scopes");
  auto [command, options] = scope.command("rename", "Rename a scope, or all scopes with a common beginning", rename);
  command.argument("CASSETTE", into(options.cassette), "Cassette to change").required();
  command.argument("OLD", into(options.old_name), "Scope, as `tapedeck ls --scopes` shows it").required();
  command.argument("NEW", into(options.new_name), "New name").required();
  command.details =
      "Use it after renaming tests. If OLD and NEW end in *, all scopes that begin with OLD get NEW as their "
      "beginning. "
      "Interactions keep their IDs.";
  command.examples = {{"Follow a renamed test", "tapedeck scope rename nas.cassette login.spec login-form.spec"},
                      {"Follow a renamed folder", "tapedeck scope rename nas.cassette 'tests/old/*' 'tests/new/*'"},
                      {"List the scopes first", "tapedeck ls --scopes nas.cassette"}};
}

}  // namespace tapedeck::cli
