// tapedeck export: converts cassettes to formats that people and other programs read.

#include <filesystem>

#include "base/output_file.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/usage_error.h"
#include "cli/options/selection_options.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/progress_bar.h"
#include "tools/content/stopped.h"
#include "tools/exchange/har_export.h"
#include "tools/exchange/jsonl_export.h"
#include "tools/exchange/text_export.h"
#include "tools/shapes/typescript_export.h"

namespace tapedeck::cli {
namespace {

struct ExportOptions {
  std::vector<std::string> cassettes;
  std::string out;
  tools::Selection selection;
  bool text = false, har = false, jsonl = false, typescript = false;
  std::string base_url;
};

void check(const ExportOptions& options) {
  const int forms = options.text + options.har + options.jsonl + options.typescript;
  if (forms != 1)
    throw UsageError(std::string(forms == 0 ? "missing format" : "several formats") +
                     ": choose one of --text, --har, --jsonl, or --typescript");
  if (!options.base_url.empty() && !options.har) throw UsageError("--base-url requires --har");
}

/// Writes the selected format for each cassette in turn.
class Exporter {
 public:
  Exporter(const ExportOptions& options, const tools::ExportRange& range, std::ostream& out)
      : options_(options), range_(range), out_(out) {}

  void run() {
    std::optional<tools::HarExport> har;
    for (const std::string& path : options_.cassettes) {
      const cassettes::CassetteReader reader = open_cassette(path);
      if (options_.har && !har)
        har.emplace(out_, options_.base_url.empty()
                              ? "http://tapedeck.test"
                              : options_.base_url);  // nothing is written if a cassette cannot be opened
      if (options_.text) {
        tools::export_review(reader, range_, out_);
      } else if (har) {
        har->add(reader, range_);
      } else if (options_.jsonl) {
        tools::export_jsonl(path, range_, out_);
      } else {
        operations_.add(reader, range_);
      }
    }
    if (har) har->end();
    if (!options_.typescript) return;
    operations_.settle();
    tools::export_typescript(operations_, out_);
  }

 private:
  const ExportOptions& options_;
  const tools::ExportRange& range_;
  std::ostream& out_;
  tools::Operations operations_;
};

/// Throws UsageError if the output file is one of the cassettes, because the export would overwrite it.
void check_output(const ExportOptions& options) {
  for (const std::string& path : options.cassettes) {
    std::error_code ignored;
    if (std::filesystem::equivalent(path, options.out, ignored))
      throw UsageError("-o " + options.out + " would overwrite a cassette that is being exported");
  }
}

int run_export(const ExportOptions& options) {
  check(options);
  check_output(options);
  const tools::Selection& selection = options.selection;
  base::OutputFile file(options.out);
  ProgressBar bar;
  catch_stop_signals();
  tools::ExportRange range;
  if (!selection.is_all()) range.wanted = [&](const auto& line) { return selection.has(line); };
  range.progress = [&](std::uint64_t done, std::uint64_t total) {
    if (!options.out.empty()) bar.show("exporting", done, total, "interactions");
    return !stop_requested() && file.stream().good();
  };
  try {
    Exporter(options, range, file.stream()).run();
  } catch (const tools::Stopped&) {
    bar.end();
    if (stop_requested()) throw std::runtime_error("stopped; nothing was written");
  }
  bar.end();
  file.commit();
  return fine;
}

}  // namespace

void add_export(Command& program) {
  auto [command, options] =
      program.command("export", "Convert cassettes to text, HAR, JSON lines, or TypeScript", run_export);
  command.argument("CASSETTE ...", into(options.cassettes), "Cassettes to export").required();
  command.option("-o,--out", "FILE", into(options.out), "Write to this file instead of standard output");
  command.flag("--text", options.text, "Text for review, without values that differ between recordings");
  command.flag("--har", options.har, "HAR 1.2, for browser tools and Playwright");
  command.flag("--jsonl", options.jsonl, "JSON lines, one for each interaction, that `tapedeck import` reads");
  command.flag("--typescript", options.typescript, "TypeScript types of the recorded parameters and responses");
  command.option("--base-url", "URL", into(options.base_url),
                 "Base URL of the device (with --har; otherwise http://tapedeck.test)");
  add_selection_options(command, options.selection);
  command.common = {"--out",      "--text", "--har",    "--jsonl", "--typescript",
                    "--base-url", "--api",  "--method", "--scope", "--take"};
  command.examples = {{"Write a HAR file for browser tools", "tapedeck export --har -o nas.har nas.cassette"},
                      {"Write TypeScript types", "tapedeck export --typescript -o nas.ts nas.cassette"}};
}

}  // namespace tapedeck::cli
