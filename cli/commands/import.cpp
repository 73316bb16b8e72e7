// tapedeck import: converts another format to a cassette.

#include <fstream>
#include <iostream>

#include <fmt/format.h>

#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/usage_error.h"
#include "cli/options/rule_options.h"
#include "cli/reports/finish_report.h"
#include "cli/reports/progress_bar.h"
#include "cli/running/cassette_rewrite.h"
#include "tools/content/stopped.h"
#include "tools/exchange/har_files.h"
#include "tools/exchange/har_import.h"
#include "tools/exchange/import_error.h"
#include "tools/exchange/jsonl_import.h"

namespace tapedeck::cli {
namespace {

struct ImportOptions {
  std::string file, out;
  RuleOptions rules;
  bool json = false;
};

int import_jsonl(const ImportOptions& options, std::istream& in) {
  ProgressBar bar;
  const auto content = tools::jsonl_material(in, bar.until_stopped("reading"));
  bar.end();
  scrubbers::ScrubberOptions scrubbing;
  scrubbing.rules = rule_set(options.rules);
  scrubbing.base_path = content->head().takes.back().base_path;
  scrubbing.key_policy = content->head().takes.back().key_policy;
  scrubbers::Scrubber scrubber(std::move(scrubbing));
  return report_rewrite(write_new(options.out, *content, &scrubber), options.out, options.json);
}

/// Prints the first entries, one a line.
void list_entries(std::string_view heading, const std::vector<std::string>& texts) {
  constexpr std::size_t most = 10;
  if (texts.empty()) return;
  std::cerr << "tapedeck: " << fmt::format(fmt::runtime(heading), texts.size()) << '\n';
  for (std::size_t i = 0; i < std::min(most, texts.size()); ++i) std::cerr << "  " << texts[i] << '\n';
  if (texts.size() > most) std::cerr << fmt::format("  and {} more\n", texts.size() - most);
}

int import_har(const ImportOptions& options) {
  const tools::HarFiles files(options.file);
  ProgressBar progress;
  tools::HarImportOptions how;
  how.rules = rule_set(options.rules);
  how.tool_version = TAPEDECK_VERSION;
  how.progress = progress.steps_until_stopped();
  how.attached = [&files](const std::string& name) { return files.attached(name); };
  const tools::HarImport imported = tools::import_har(files.text(), options.out, how);
  progress.end();
  if (imported.left_out > 0) {
    std::cerr << fmt::format("tapedeck: skipped {} entries of other servers\n", imported.left_out);
  }
  if (imported.websockets > 0) {
    std::cerr << fmt::format("tapedeck: skipped {} WebSocket connection{}\n", imported.websockets,
                             imported.websockets == 1 ? "" : "s");
  }
  list_entries("skipped {} entries that contain no request:", imported.faults);
  list_entries("{} entries lack their response or its body; replay never plays them:", imported.broken);
  if (imported.undated > 0) {
    std::cerr << fmt::format("tapedeck: {} entries have no date; each has the time of the entry before it\n",
                             imported.undated);
  }
  return report_rewrite(imported.report, options.out, options.json);
}

int run_import(const ImportOptions& options) {
  std::ifstream in(options.file, std::ios::binary);
  if (!in) throw UsageError(options.file + " cannot be read");
  std::string beginning(64, '\0');
  in.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
  in.clear();
  in.seekg(0);
  try {
    return tools::is_jsonl(beginning) ? import_jsonl(options, in) : import_har(options);
  } catch (const tools::ImportError& error) {
    throw UsageError(options.file + ", " + error.what());
  } catch (const tools::Stopped&) {
    throw std::runtime_error("stopped; nothing was written");
  }
}

}  // namespace

void add_import(Command& program) {
  auto [command, options] =
      program.command("import", "Create a cassette from a HAR file or from `export --as jsonl`", run_import);
  command.argument("FILE", into(options.file), "File to import").required();
  command.option("-o,--out", "CASSETTE", into(options.out), "New cassette; the file must not exist").required();
  add_rule_options(command, options.rules);
  command.flag("--json", options.json, "Print JSON");
  command.examples = {{"Create a cassette from a browser recording", "tapedeck import -o nas.cassette nas.har"},
                      {"Restore a cassette from JSON lines", "tapedeck import -o nas.cassette nas.jsonl"}};
}

}  // namespace tapedeck::cli
