// tapedeck overlay: checks overlay files, and begins new ones.

#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cassettes/read/cassette_reader.h"
#include "cli/app.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/commands/overlay_block.h"
#include "cli/options/replay_options.h"
#include "cli/paint.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"
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

std::vector<replay::OverlayPtr> read(const std::string& file) {
  refuse_folder("the overlay file", file);
  try {
    return replay::number_overlays(replay::read_overlay_file(file, replay::overlay_file_text(file)).overlays, "");
  } catch (const std::invalid_argument& error) {
    throw UsageError(error.what());
  }
}

/// Recorded keys that an overlay would cover, and how many answers each has.
using Covered = std::map<const replay::Overlay*, std::map<std::string, std::uint64_t>>;

Covered covered_by(const std::vector<replay::OverlayPtr>& overlays, const std::vector<std::string>& cassettes) {
  std::vector<replay::OverlaySet::Rule> rules;
  for (const auto& overlay : overlays) rules.push_back({overlay, std::make_shared<std::atomic<std::uint64_t>>(0)});
  const replay::OverlaySet set(std::move(rules));
  Covered covered;
  for (const std::string& path : cassettes) {
    const cassettes::CassetteReader reader(path);
    reader.list([&](const cassettes::ListedInteraction& line) {
      for (const auto* const rule : candidates_for(set, line.key).rules) ++covered[rule->overlay.get()][line.key];
      return true;
    });
  }
  return covered;
}

int check(const CheckOptions& options) {
  const auto overlays = read(options.file);
  Covered covered = covered_by(overlays, options.cassettes);
  for (const auto& overlay : overlays) {
    std::cout << fmt::format("{}:{}  {}\n", printable(overlay->file), overlay->line, printable(overlay->name));
    const auto& keys = covered[overlay.get()];
    if (!options.cassettes.empty() && keys.empty()) std::cout << "  covers no recorded call\n";
    std::size_t listed = 0;
    for (const auto& [key, count] : keys) {
      if (listed++ == most_listed) break;
      std::cout << fmt::format("  covers {} ({})\n", printable(key), count);
    }
    if (keys.size() > most_listed) std::cout << fmt::format("  … and {} more\n", keys.size() - most_listed);
    for (const std::string& line : replay::spec_differences(*overlay))
      std::cout << "  spec: " << printable(line) << '\n';
  }
  std::cout << fmt::format("{}: {}, no mistake\n", printable(options.file), counted(overlays.size(), "overlay"));
  return fine;
}

/// The line of the journal with that number.
nlohmann::json journal_line(const std::string& path, std::uint64_t number) {
  refuse_folder("--journal", path);
  std::ifstream file(path);
  if (!file) throw UsageError(path + ": cannot be read");
  for (std::string line; std::getline(file, line);) {
    const auto entry = nlohmann::json::parse(line, nullptr, false);
    if (entry.is_object() && entry.value("number", std::uint64_t{0}) == number) return entry;
  }
  throw UsageError(fmt::format("{}: has no entry {}", path, number));
}

int begin_new(const NewOptions& options) {
  if (options.from_miss) {
    if (options.journal.empty() || !options.cassette.empty()) {
      throw UsageError("--from-miss NUMBER needs --journal FILE, and no cassette");
    }
    std::cout << overlay_block(journal_line(options.journal, *options.from_miss).value("key", ""), "");
    return fine;
  }
  if (options.id.empty()) throw UsageError("overlay new needs CASSETTE and ID, or --from-miss and --journal");
  const auto found = cassettes::CassetteReader(options.cassette).get(options.id);
  if (!found) throw UsageError(options.cassette + " has no interaction " + options.id);
  std::cout << overlay_block(found->line.key, answer_lines(*found, options.as));
  return fine;
}

}  // namespace

void add_overlay(Command& program) {
  Command& command = program.command("overlay", "Check overlay files (check), or begin one (new)");
  auto checking = std::make_shared<CheckOptions>();
  Command& check_command = command.command("check", "Read an overlay file, and say what it would cover");
  check_command.argument("FILE", into(checking->file), "The overlay file").required();
  check_command.argument("CASSETTE ...", into(checking->cassettes), "Say which recorded calls of these it would cover");
  check_command.action = [checking] { return check(*checking); };

  auto making = std::make_shared<NewOptions>();
  Command& new_command = command.command("new", "Print an overlay to begin with");
  new_command.argument("CASSETTE", into(making->cassette), "The cassette of the recorded answer");
  new_command.argument("ID", into(making->id), "The interaction's id, as ls shows it");
  new_command.choice("--as", one_of(making->as, {"json", "data", "patch", "error"}), "How the answer is spelled")
      .show_default();
  new_command.option("--from-miss", "NUMBER", whole_number(making->from_miss), "For the call of this journal entry");
  new_command.option("--journal", "FILE", into(making->journal), "The journal's file");
  new_command.action = [making] { return begin_new(*making); };
}

}  // namespace tapedeck::cli
