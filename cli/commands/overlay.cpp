// tapedeck overlay: checks overlay files and writes new ones.

#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/request_key.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/commands/overlay_block.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/options/replay_options.h"
#include "cli/reports/cassette_text.h"
#include "replay/overlays/overlay_file.h"
#include "replay/overlays/overlay_set.h"
#include "replay/overlays/spec_check.h"

namespace tapedeck::cli {
namespace {

constexpr std::size_t most_listed = 20;

struct CheckOptions {
  std::string file;
  std::vector<std::string> cassettes;
};

struct NewOptions {
  std::string cassette, id;
  std::string as = "data";
  std::optional<std::uint64_t> from_miss;
  std::string journal;
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

int check(const CheckOptions& options) {
  refuse_folder("the overlay file", options.file);
  replay::OverlayFile file = replay::read_overlay_file(options.file, replay::overlay_file_text(options.file));
  const auto overlays = replay::number_overlays(std::move(file.overlays), "");
  const std::vector<replay::Effect>& effects = file.effects;
  Covered covered = covered_by(overlays, options.cassettes);
  std::uint64_t faults = 0;
  for (const auto& overlay : overlays) {
    std::cout << fmt::format("{}:{}  {}\n", printable(overlay->file), overlay->line, printable(overlay->name));
    const auto& keys = covered[overlay->id];
    if (!options.cassettes.empty() && keys.empty()) std::cout << "  matches no recorded call\n";
    faults += list_keys(keys);
    for (const std::string& line : replay::spec_differences(*overlay))
      std::cout << "  spec: " << printable(line) << '\n';
  }
  for (const replay::Effect& effect : effects) {
    std::cout << fmt::format("{}:{}  effect of {}\n", printable(effect.file), effect.line, printable(effect.on.text()));
  }
  const std::string more = effects.empty() ? std::string() : ", " + counted(effects.size(), "effect");
  std::cout << fmt::format("{}: {}{}, {}\n", printable(options.file), counted(overlays.size(), "overlay"), more,
                           faults == 0 ? "no errors" : counted(faults, "error"));
  return faults == 0 ? fine : run_failed;
}

/// Returns the journal line with that number.
nlohmann::ordered_json journal_line(const std::string& path, std::uint64_t number) {
  refuse_folder("--journal", path);
  std::ifstream file(path);
  if (!file) throw UsageError(path + ": cannot be read");
  for (std::string line; std::getline(file, line);) {
    const auto entry = nlohmann::ordered_json::parse(line, nullptr, false);
    if (entry.is_object() && entry.value("number", std::uint64_t{0}) == number) return entry;
  }
  throw UsageError(fmt::format("{}: has no entry {}", path, number));
}

int begin_new(const NewOptions& options) {
  if (options.from_miss) {
    if (options.journal.empty() || !options.cassette.empty()) {
      throw UsageError("--from-miss requires --journal FILE and no CASSETTE");
    }
    std::cout << overlay_block(journal_line(options.journal, *options.from_miss).value("key", ""), "");
    return fine;
  }
  if (options.id.empty())
    throw UsageError("missing arguments: `overlay new` requires CASSETTE and ID, or --from-miss and --journal");
  const cassettes::CassetteReader reader(options.cassette);
  const cassettes::FullInteraction found = interaction_named(reader, options.cassette, options.id);
  std::cout << overlay_block(found.line.key, response_lines(found, options.as));
  return fine;
}

}  // namespace

void add_overlay(Command& program) {
  Command& command = program.command("overlay", "Check or create an overlay file (mock responses)");
  auto [check_command, checking] = command.command("check", "Check an overlay file and list what it matches", check);
  check_command.argument("FILE", into(checking.file), "Overlay file").required();
  check_command.argument("CASSETTE ...", into(checking.cassettes),
                         "List the recorded calls in these cassettes that the overlays match");
  check_command.details =
      "The exit status is 1 if a patch names a path that no recorded response of the call has. Such a call is a miss "
      "during replay.";
  check_command.examples = {
      {"Check an overlay file", "tapedeck overlay check mocks.toml"},
      {"List the recorded calls that it matches", "tapedeck overlay check mocks.toml nas.cassette"}};

  auto [new_command, making] = command.command("new", "Print an overlay to start from", begin_new);
  new_command.argument("CASSETTE", into(making.cassette), "Cassette with the recorded response");
  new_command.argument("ID", into(making.id), "ID of the interaction, as `tapedeck ls` shows it");
  new_command
      .choice("--as", one_of(making.as, {"json", "data", "patch", "error"}), "Form of the response in the overlay")
      .show_default();
  new_command.option("--from-miss", "NUMBER", whole_number(making.from_miss), "Use the request of this journal entry");
  new_command.option("--journal", "FILE", into(making.journal), "Journal file");
  new_command.examples = {
      {"Start from a recorded response", "tapedeck overlay new nas.cassette 3f9a > mocks.toml"},
      {"Start from a miss in the journal", "tapedeck overlay new --from-miss 12 --journal journal.jsonl"}};
}

}  // namespace tapedeck::cli
