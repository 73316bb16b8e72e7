// tapedeck scope rename: another name for a scope, in a copy that takes the cassette's place.

#include <iostream>
#include <memory>
#include <set>

#include "api/scope_name.h"
#include "cassettes/finish/finish.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/app.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/reports/finish_report.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"

namespace tapedeck::cli {
namespace {

struct ScopeOptions {
  std::string cassette, old_name, new_name;
};

/// The stored name that `ls --scopes` shows so, and the takes that have it.
struct Stored {
  std::string name;
  std::set<std::uint32_t> takes;
};

Stored stored(const cassettes::CassetteReader& reader, const std::string& shown) {
  Stored found;
  reader.scopes([&](const cassettes::ScopeTake& scope) {
    if (scope.name.empty() || api::shown_scope(scope.name) != shown) return true;
    found.name = scope.name;
    found.takes.insert(scope.take);
    return true;
  });
  return found;
}

api::ScopeName name_in(const std::string& text) {
  const auto scope = api::ScopeName::parse(text);
  if (!scope || scope->run != 1)
    throw UsageError(text + " is not a valid scope: must be percent-encoded UTF-8 of at most 1,000 bytes");
  return *scope;
}

cassettes::FinishOptions renaming(const ScopeOptions& options) {
  const cassettes::CassetteReader reader(options.cassette);
  if (!reader.info().finished)
    throw UsageError(options.cassette + " is unfinished\nhint: finish it with `tapedeck scrub`");
  const Stored old = stored(reader, options.old_name);
  if (old.takes.empty())
    throw UsageError("no such scope: " + options.old_name + "\nhint: `tapedeck ls --scopes` lists the scopes");
  const api::ScopeName name = name_in(options.new_name);
  for (const std::uint32_t take : stored(reader, name.text()).takes) {
    if (old.takes.contains(take)) {
      throw UsageError("take " + std::to_string(take) + " already has a scope " + name.text() + " already");
    }
  }
  cassettes::FinishOptions finishing;
  finishing.scan = false;
  finishing.rename_scope = {old.name, name.name};
  return finishing;
}

int rename(const ScopeOptions& options) {
  const cassettes::FinishReport report = cassettes::finish(options.cassette, renaming(options));
  if (!report.finished) std::cerr << "tapedeck: " << printable(report.failure) << '\n';
  return finish_status(report);
}

}  // namespace

void add_scope(Command& program) {
  auto options = std::make_shared<ScopeOptions>();
  Command& scope = program.command("scope", "Rename a scope");
  Command& command = scope.command("rename", "Rename a scope");
  command.argument("CASSETTE", into(options->cassette), "Cassette to change").required();
  command.argument("OLD", into(options->old_name), "Scope, as `tapedeck ls --scopes` shows it").required();
  command.argument("NEW", into(options->new_name), "New name").required();
  command.details = "Use it after renaming a test. Interactions keep their IDs.";
  command.examples = {{"Follow a renamed test", "tapedeck scope rename nas.cassette login.spec login-form.spec"},
                      {"List the scopes first", "tapedeck ls --scopes nas.cassette"}};
  command.action = [options] { return rename(*options); };
}

}  // namespace tapedeck::cli
