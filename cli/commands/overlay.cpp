// tapedeck overlay: checks overlay files, and begins new ones.

#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cassettes/read/cassette_reader.h"
#include "cli/app.h"
#include "cli/command.h"
#include "cli/commands/overlay_block.h"
#include "cli/options/replay_options.h"
#include "cli/options/whole_number.h"
#include "cli/paint.h"
#include "cli/terminal.h"
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

void add_overlay(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("overlay", "Check overlay files (check), or begin one (new)");
  command->require_subcommand(1);
  auto checking = std::make_shared<CheckOptions>();
  CLI::App* check_command = command->add_subcommand("check", "Read an overlay file, and say what it would cover");
  check_command->add_option("file", checking->file, "The overlay file")->type_name("FILE")->required();
  check_command->add_option("cassettes", checking->cassettes, "Say which recorded calls of these it would cover")
      ->type_name("CASSETTE ...");
  check_command->callback([checking, &action] { action = [checking] { return check(*checking); }; });

  auto making = std::make_shared<NewOptions>();
  CLI::App* new_command = command->add_subcommand("new", "Print an overlay to begin with");
  new_command->add_option("cassette", making->cassette, "The cassette of the recorded answer")->type_name("CASSETTE");
  new_command->add_option("id", making->id, "The interaction's id, as ls shows it")->type_name("ID");
  new_command->add_option("--as", making->as, "How the answer is spelled")
      ->check(CLI::IsMember({"json", "data", "patch", "error"}))
      ->type_name("json|data|patch|error")
      ->capture_default_str();
  takes_whole_number(new_command->add_option("--from-miss", making->from_miss, "For the call of this journal entry"))
      ->type_name("NUMBER");
  new_command->add_option("--journal", making->journal, "The journal's file")->type_name("FILE");
  new_command->callback([making, &action] { action = [making] { return begin_new(*making); }; });
}

}  // namespace tapedeck::cli
