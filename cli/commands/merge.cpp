// tapedeck merge: merges cassettes. It is also Git's merge driver (git-setup).

#include <filesystem>
#include <iostream>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "base/shell_word.h"
#include "cassettes/finish/rewrite.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/reports/progress_bar.h"
#include "cli/running/cassette_rewrite.h"
#include "tools/content/stopped.h"
#include "tools/merge.h"

namespace tapedeck::cli {
namespace {

struct MergeCommandOptions {
  std::vector<std::string> cassettes, names;
  std::string out, base, prefer;
  bool json = false;
};

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code ignored;
  return std::filesystem::equivalent(a, b, ignored);
}

/// Returns true for an empty file, which Git passes if there is no common ancestor.
bool is_empty(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::file_size(path, ignored) == 0 && !ignored;
}

/// Returns the index of the preferred side, which is given by its path, its name, or its letter.
std::optional<std::size_t> preferred(const MergeCommandOptions& options) {
  if (options.prefer.empty()) return std::nullopt;
  for (std::size_t i = 0; i < options.cassettes.size(); ++i) {
    if (options.cassettes[i] == options.prefer || (i < options.names.size() && options.names[i] == options.prefer)) {
      return i;
    }
  }
  const std::size_t letter = options.prefer.size() == 1 ? static_cast<std::size_t>(options.prefer[0] - 'A') : 26;
  if (letter < options.cassettes.size()) return letter;
  throw UsageError("--prefer " + options.prefer +
                   ": must be one of the cassettes, or A for the first, B for the second");
}

/// Returns true if Git runs this as its merge driver, which names the file, because its paths are temporary.
bool is_driver(const MergeCommandOptions& options) { return options.names.size() > options.cassettes.size(); }

std::string name_of(const MergeCommandOptions& options, std::size_t side) {
  return side < options.names.size() ? options.names[side] : options.cassettes[side];
}

std::string line_of(const MergeCommandOptions& options, const tools::MergeConflict& conflict) {
  const std::string what = conflict.kind == tools::MergeConflict::Kind::scope
                               ? "scope " + printable(api::shown_scope(conflict.scope))
                               : conflict.id + " " + printable(conflict.key);
  return fmt::format("conflict: {}: {} in {}, {} in {}", what, conflict.first_has,
                     printable(name_of(options, conflict.first)), conflict.second_has,
                     printable(name_of(options, conflict.second)));
}

nlohmann::ordered_json json_of(const MergeCommandOptions& options, const tools::MergeConflict& conflict) {
  nlohmann::ordered_json out;
  if (conflict.kind == tools::MergeConflict::Kind::interaction) {
    out["id"] = conflict.id;
    out["key"] = conflict.key;
  }
  if (!conflict.scope.empty()) out["scope"] = api::shown_scope(conflict.scope);
  out["sides"] = {{{"cassette", name_of(options, conflict.first)}, {"has", conflict.first_has}},
                  {{"cassette", name_of(options, conflict.second)}, {"has", conflict.second_has}}};
  return out;
}

int report_conflicts(const MergeCommandOptions& options, const std::vector<tools::MergeConflict>& conflicts) {
  if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const auto& conflict : conflicts) list.push_back(json_of(options, conflict));
    cli::print_json({{"finished", false}, {"conflicts", std::move(list)}});
    return run_failed;
  }
  for (const auto& conflict : conflicts) std::cerr << line_of(options, conflict) << '\n';
  const std::string file = base::shell_word(is_driver(options) ? options.names.back() : "");
  std::cerr << fmt::format("tapedeck: {}; nothing was written\nhint: {}\n", counted(conflicts.size(), "conflict"),
                           is_driver(options)
                               ? fmt::format("choose a side: `git checkout --ours {0}` or `git checkout --theirs {0}`, "
                                             "then `git add {0}`",
                                             printable(file))
                               : "--prefer CASSETTE chooses the side that wins");
  return run_failed;
}

/// The cassettes to merge. One of them may be the output file.
class Sides {
 public:
  explicit Sides(const MergeCommandOptions& options) {
    for (const std::string& path : options.cassettes) {
      if (!rewriting_ && is_same_file(path, options.out)) {
        rewriting_ = std::make_unique<cassettes::Rewriting>(path);
        materials_.push_back(&rewriting_->content());
      } else {
        opened_.push_back(cassettes::open_checked_material(path));
        materials_.push_back(opened_.back().get());
      }
    }
    if (!options.base.empty() && !is_empty(options.base)) base_ = cassettes::open_material(options.base);
  }
  [[nodiscard]] const std::vector<cassettes::Material*>& materials() const { return materials_; }
  [[nodiscard]] cassettes::Material* base() const { return base_.get(); }
  [[nodiscard]] cassettes::FinishReport write(const std::string& out, cassettes::Material& content) const {
    return rewriting_ ? rewrite(*rewriting_, content) : write_new(out, content);
  }

 private:
  std::unique_ptr<cassettes::Rewriting> rewriting_;
  std::vector<std::unique_ptr<cassettes::Material>> opened_;
  std::vector<cassettes::Material*> materials_;
  std::unique_ptr<cassettes::Material> base_;
};

/// Replaces the temporary paths that Git passes in a message.
std::string with_names(const MergeCommandOptions& options, std::string text) {
  if (!is_driver(options)) return text;
  const std::string& file = options.names.back();
  const auto replace = [&text](const std::string& path, const std::string& name) {
    if (const std::size_t at = text.find(path); at != std::string::npos && !path.empty()) {
      text.replace(at, path.size(), name);
    }
  };
  for (std::size_t side = 0; side < options.cassettes.size(); ++side) {
    replace(options.cassettes[side], file + " (" + options.names[side] + ")");
  }
  replace(options.base, file + " (base)");
  return text;
}

int merge_checked(const MergeCommandOptions& options) {
  if (options.cassettes.size() < 2) throw UsageError("merge requires at least two cassettes");
  tools::MergeOptions merging;
  merging.prefer = preferred(options);
  ProgressBar bar;
  merging.progress = bar.until_stopped("comparing");
  const Sides sides(options);
  try {
    tools::Merged merged(sides.materials(), sides.base(), std::move(merging));
    bar.end();
    if (!merged.conflicts().empty()) return report_conflicts(options, merged.conflicts());
    return report_rewrite(sides.write(options.out, merged), is_driver(options) ? options.names.back() : options.out,
                          options.json);
  } catch (const tools::Stopped&) {
    throw std::runtime_error("stopped; nothing was changed");
  }
}

int merge(const MergeCommandOptions& options) {
  try {
    return merge_checked(options);
  } catch (const cassettes::CassetteError& error) {
    throw cassettes::CassetteError(error.kind(), with_names(options, error.what()));
  }
}

}  // namespace

void add_merge(Command& program) {
  auto [command, options] = program.command("merge", "Merge cassettes; on conflicts, list them and exit with 1", merge);
  command.argument("CASSETTE CASSETTE ...", into(options.cassettes), "Two or more cassettes").required();
  command.option("-o,--out", "OUT", into(options.out), "Cassette to write; may be one of the merged cassettes")
      .required();
  command.option("--base", "CASSETTE", into(options.base),
                 "Common ancestor; interactions removed in one cassette stay removed");
  command.option("--prefer", "A|B", into(options.prefer),
                 "Resolve conflicts in favor of this cassette: file name, or A, B, …");
  command.option("--as", "NAME", into(options.names), "Label for the next cassette in messages; one more is for OUT");
  command.flag("--json", options.json, "Print JSON");
  command.details =
      "Takes with the same ID are merged; other takes are kept side by side. Two cassettes conflict if "
      "the same interaction has different content, or the same scope comes from different takes.";
  command.examples = {
      {"Merge two cassettes", "tapedeck merge -o all.cassette a.cassette b.cassette"},
      {"Let the second cassette win in conflicts", "tapedeck merge --prefer B -o all.cassette a.cassette b.cassette"}};
}

}  // namespace tapedeck::cli
