#include "cli/running/scope_rename.h"

#include <iostream>
#include <map>
#include <set>

#include "api/scope_name.h"
#include "cassettes/finish/finish.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/reports/finish_report.h"

namespace tapedeck::cli {
namespace {

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

/// Returns the new name of each scope that `old_name` means. A `*` at the end of both names replaces the prefix of all
/// matching scopes.
std::map<std::string, std::string> renames(std::string_view old_name, std::string_view new_name, const Takes& takes) {
  std::map<std::string, std::string> names;
  for (const auto& [stored, unused] : takes) {
    if (api::shown_scope(stored) == old_name) return {{stored, name_in(std::string(new_name)).name}};
  }
  if (!old_name.ends_with('*')) return names;
  if (!new_name.ends_with('*')) throw UsageError("--rename: OLD ends in *, so NEW must end in *, too");
  old_name.remove_suffix(1);
  new_name.remove_suffix(1);
  for (const auto& [stored, unused] : takes) {
    const std::string shown = api::shown_scope(stored);
    if (!shown.starts_with(old_name)) continue;
    names[stored] = name_in(std::string(new_name) + shown.substr(old_name.size())).name;
  }
  return names;
}

/// Splits OLD=NEW at the first equals sign behind a text that means a scope, because names may contain the sign.
std::map<std::string, std::string> renames(std::string_view change, const Takes& takes) {
  if (change.find('=') == std::string_view::npos) throw UsageError("--rename " + std::string(change), "give OLD=NEW");
  for (std::size_t at = change.find('='); at != std::string_view::npos; at = change.find('=', at + 1)) {
    auto names = renames(change.substr(0, at), change.substr(at + 1), takes);
    if (!names.empty()) return names;
  }
  throw UsageError("no such scope: " + std::string(change.substr(0, change.find('='))),
                   "`tapedeck ls --scopes` lists the scopes");
}

cassettes::FinishOptions renaming(const std::string& cassette, const std::string& change) {
  const cassettes::CassetteReader reader(cassette);
  if (!reader.info().finished) throw UsageError(cassette + " is unfinished", "finish it with `tapedeck scrub`");
  const Takes takes = takes_of(reader);
  cassettes::FinishOptions finishing;
  finishing.scan = false;
  finishing.rename_scopes = renames(change, takes);
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

}  // namespace

int rename_scopes(const std::string& cassette, const std::string& change) {
  const cassettes::FinishReport report = cassettes::finish(cassette, renaming(cassette, change));
  if (!report.finished) std::cerr << "tapedeck: " << printable(report.failure) << '\n';
  return finish_status(report);
}

}  // namespace tapedeck::cli
