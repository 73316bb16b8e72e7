// tapedeck overlay: checks an overlay file, or prints effects for one.

#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>

#include "api/request_key.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/commands/overlay_block.h"
#include "cli/console/exit_status.h"
#include "cli/console/log.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/options/replay_options.h"
#include "replay/effects/effect.h"
#include "replay/effects/suggestions.h"
#include "replay/overlays/overlay_file.h"
#include "replay/overlays/overlay_set.h"
#include "replay/overlays/spec_check.h"

namespace tapedeck::cli {
namespace {

constexpr std::size_t most_listed = 20;

struct OverlayOptions {
  std::vector<std::string> files;  ///< the overlay file and cassettes, or with --effects only cassettes
  bool effects = false;
};

/// The recorded responses to one key that an overlay would replace or change.
struct CoveredKey {
  std::uint64_t responses = 0;
  std::uint64_t unfit = 0;  ///< responses to which the patch cannot be applied
  std::string why;          ///< the reason for the first of these
};
/// Maps the overlay's id to the recorded keys that it matches.
using Covered = std::map<std::uint64_t, std::map<std::string, CoveredKey>>;

/// Returns the patches of an overlay and of its `answers`, with sample values in place of marks.
std::vector<api::JsonPatch> patches_of(const replay::Overlay& overlay) {
  std::vector<api::JsonPatch> patches;
  const auto add = [&patches](const replay::Overlay& one) {
    if (one.patch) patches.push_back(api::JsonPatch::parse(one.patch->sample()));
  };
  add(overlay);
  for (const auto& response : overlay.answers) add(*response);
  return patches;
}

/// Returns why a patch cannot be applied to a response, or nothing if it can. A failed `test` operation is not an
/// error.
std::optional<std::string> unfit_path(const replay::Overlay& overlay, const std::string& body) {
  for (const api::JsonPatch& patch : patches_of(overlay)) {
    const api::Patched patched = patch.apply(body);
    if (const auto* const error = std::get_if<api::PatchError>(&patched)) return error->path + " " + error->reason;
  }
  return std::nullopt;
}

replay::OverlaySet set_of(const std::vector<replay::OverlayPtr>& overlays) {
  std::vector<replay::OverlaySet::Rule> rules;
  for (const auto& overlay : overlays) rules.push_back({overlay, std::make_shared<std::atomic<std::uint64_t>>(0)});
  return replay::OverlaySet(std::move(rules));
}

/// Returns `overlays` without conditions on the account and the secrets, which keys of logins do not contain, so that a
/// recorded login can match.
std::vector<replay::OverlayPtr> for_logins(const std::vector<replay::OverlayPtr>& overlays) {
  std::vector<replay::OverlayPtr> changed;
  for (const auto& overlay : overlays) {
    auto copy = std::make_shared<replay::Overlay>(*overlay);
    std::erase_if(copy->params, [](const replay::ParamCondition& condition) {
      return condition.name == "account" || api::KeyPolicy::current().leaves_out_of_login(condition.name);
    });
    changed.push_back(std::move(copy));
  }
  return changed;
}

Covered covered_by(const std::vector<replay::OverlayPtr>& overlays, const std::vector<std::string>& cassettes) {
  const replay::OverlaySet set = set_of(overlays), login_set = set_of(for_logins(overlays));
  Covered covered;
  for (const std::string& path : cassettes) {
    const cassettes::CassetteReader reader(path);
    reader.list([&](const cassettes::ListedInteraction& line) {
      const auto note = [&](const std::string& key) {
        const auto found = candidates_for(set, login_set, key).rules;
        for (const auto* const rule : found) ++covered[rule->overlay->id][key].responses;
        return found;
      };
      for (const auto* const rule : note(line.key)) {
        const replay::Overlay& overlay = *rule->overlay;
        if (!line.is_played || (!overlay.patch && overlay.answers.empty())) continue;
        const auto why = unfit_path(overlay, reader.get(line.id)->record.response.body);
        CoveredKey& key = covered[overlay.id][line.key];
        if (why && key.unfit++ == 0) key.why = *why;
      }
      // An overlay matches each part of a compound request separately.
      const auto parts = api::part_keys(api::RequestKey::parse(line.key), api::KeyPolicy(reader.info().key_policy));
      for (const api::RequestKey& part : parts) static_cast<void>(note(part.text));
      return true;
    });
  }
  return covered;
}

/// Lists the calls that an overlay matches. Returns the number of calls to which its patch can never be applied.
std::uint64_t list_keys(const std::map<std::string, CoveredKey>& keys) {
  std::size_t listed = 0;
  std::uint64_t faults = 0;
  for (const auto& [key, found] : keys) {
    const bool is_fault = found.unfit > 0 && found.unfit == found.responses;
    faults += is_fault ? 1 : 0;
    if (listed == most_listed && !is_fault) continue;
    listed += listed < most_listed ? 1 : 0;
    std::cout << fmt::format("  matches {} ({})\n", printable(key), found.responses);
    if (found.unfit == 0) continue;
    std::cout << fmt::format("    {}: the patch does not fit {} of {} responses: {}\n", is_fault ? "error" : "warning",
                             found.unfit, found.responses, printable(found.why));
  }
  if (keys.size() > most_listed) std::cout << fmt::format("  … and {} more\n", keys.size() - most_listed);
  return faults;
}

int check(const std::string& path, const std::vector<std::string>& cassettes) {
  check_overlay_path("the overlay file", path);
  replay::OverlayFile file = replay::read_overlay_file(path, replay::overlay_file_text(path));
  const auto overlays = replay::number_overlays(std::move(file.overlays), "");
  const std::vector<replay::Effect>& effects = file.effects;
  Covered covered = covered_by(overlays, cassettes);
  std::uint64_t faults = 0;
  for (const auto& overlay : overlays) {
    std::cout << fmt::format("{}:{}  {}\n", printable(overlay->file), overlay->line, printable(overlay->name));
    const auto& keys = covered[overlay->id];
    if (!cassettes.empty() && keys.empty()) std::cout << "  matches no recorded call\n";
    faults += list_keys(keys);
    for (const std::string& line : replay::spec_differences(*overlay))
      std::cout << "  spec: " << printable(line) << '\n';
  }
  for (const replay::Effect& effect : effects) {
    std::cout << fmt::format("{}:{}  effect of {}\n", printable(effect.file), effect.line, printable(effect.on.text()));
  }
  const std::string more = effects.empty() ? std::string() : ", " + counted(effects.size(), "effect");
  std::cout << fmt::format("{}: {}{}, {}\n", printable(path), counted(overlays.size(), "overlay"), more,
                           faults == 0 ? "no errors" : counted(faults, "error"));
  return faults == 0 ? fine : run_failed;
}

/// Prints the built-in effects, or those that the cassettes show.
int print_effects(const std::vector<std::string>& cassettes) {
  if (cassettes.empty()) std::cout << replay::builtin_effects_toml();
  for (const std::string& cassette : cassettes) {
    const std::string text = replay::suggested_effects_toml(cassettes::CassetteReader(cassette));
    std::cout << printable(text, true);
    if (text.empty()) log::info("{} shows no effects of writes", printable(cassette));
  }
  return fine;
}

int overlay(const OverlayOptions& options) {
  if (options.effects) return print_effects(options.files);
  if (options.files.empty()) throw UsageError("missing argument FILE", "`tapedeck overlay --effects` takes none");
  return check(options.files.front(), {options.files.begin() + 1, options.files.end()});
}

}  // namespace

void add_overlay(Command& program) {
  auto [command, options] =
      program.command("overlay", "Check an overlay file (mock responses), or print effects", overlay);
  command.argument("FILE [CASSETTE ...]", into(options.files),
                   "Overlay file, and cassettes whose recorded calls it may match");
  command.flag("--effects", options.effects,
               "Print the built-in effects, or those that the given cassettes show, for an overlay file");
  command.details =
      "The exit status is 1 if a patch names a path that no recorded response of the call has. Such a call is a miss "
      "during replay. `tapedeck show --as overlay` prints an overlay to start from. --effects with a cassette prints "
      "an "
      "effect for each write whose parameters appear in a later response and not in an earlier one; a comment names "
      "the "
      "interactions. To use the effects, pass the file with --overlay.";
  command.examples = {{"Check an overlay file, and list the recorded calls that it matches",
                       "tapedeck overlay mocks.toml nas.cassette"},
                      {"Start an overlay file with the effects of a recording",
                       "tapedeck overlay --effects nas.cassette > state.toml"}};
}

}  // namespace tapedeck::cli
