// tapedeck export: converts cassettes to formats that people and other programs read.

#include <filesystem>

#include "base/output_file.h"
#include "base/private_folder.h"
#include "cassettes/finish/finish.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/usage_error.h"
#include "cli/options/headings.h"
#include "cli/options/rule_options.h"
#include "cli/options/selection_options.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/progress_bar.h"
#include "cli/running/cassette_rewrite.h"
#include "tools/content/rewrite.h"
#include "tools/content/stopped.h"
#include "tools/exchange/har_export.h"
#include "tools/exchange/jsonl_export.h"
#include "tools/exchange/text_export.h"
#include "tools/shapes/typescript_export.h"

namespace tapedeck::cli {
namespace {

enum class Format { by_name, text, har, jsonl, typescript, cassette };

struct ExportOptions {
  std::vector<std::string> cassettes;
  std::string out;
  tools::Selection selection;
  Format format = Format::by_name;
  RuleOptions rules;
  PrivateCommandOptions private_values;
  std::string base_url;
};

/// Returns the format for the extension of the file's name.
Format format_of(const std::string& out) {
  constexpr std::pair<std::string_view, Format> endings[] = {{".txt", Format::text},
                                                             {".har", Format::har},
                                                             {".jsonl", Format::jsonl},
                                                             {".ts", Format::typescript},
                                                             {".cassette", Format::cassette}};
  for (const auto& [ending, format] : endings) {
    if (out.ends_with(ending)) return format;
  }
  throw UsageError("missing format: give --as, or a name for --out that ends in .txt, .har, .jsonl, .ts, or .cassette");
}

void check(const ExportOptions& options) {
  const Format format = options.format;
  const bool is_private = options.private_values.wanted || !options.private_values.key_file.empty();
  if (format != Format::cassette && is_private) throw UsageError("--private requires --as cassette");
  if (format == Format::cassette && options.out.empty()) throw UsageError("--as cassette requires --out");
  if (format == Format::cassette && options.cassettes.size() > 1) {
    throw UsageError("one cassette can be exported to a cassette", "`tapedeck merge` merges several");
  }
  if (!options.base_url.empty() && format != Format::har) throw UsageError("--base-url requires --as har");
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
      if (options_.format == Format::har && !har)
        har.emplace(out_, options_.base_url.empty()
                              ? "http://tapedeck.test"
                              : options_.base_url);  // nothing is written if a cassette cannot be opened
      if (options_.format == Format::text) {
        tools::export_review(reader, range_, out_);
      } else if (har) {
        har->add(reader, range_);
      } else if (options_.format == Format::jsonl) {
        tools::export_jsonl(path, range_, out_);
      } else {
        operations_.add(reader, range_);
      }
    }
    if (har) har->end();
    if (options_.format != Format::typescript) return;
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

/// Writes the selected interactions, which keep their IDs, sessions, and lanes.
cassettes::FinishReport write_part(const std::string& cassette, const tools::Selection& selection,
                                   const std::string& out) {
  const cassettes::CassetteReader reader = open_cassette(cassette);
  const auto content = cassettes::open_checked_material(cassette);
  tools::KeptMaterial part(*content, reader, [&](const auto& line) { return selection.has(line); });
  return write_new(out, part);
}

int export_cassette(const ExportOptions& options) {
  Config config = read_config(options.rules);
  const auto profile = writing_profile(options.private_values, std::move(config.private_values));
  if (!profile)
    return report_rewrite(write_part(options.cassettes[0], options.selection, options.out), options.out, false);
  // Pseudonyms change keys, so the whole content is scrubbed again. That happens in a private folder, so that no other
  // file ever contains the original values.
  base::PrivateFolder folder;
  const std::string part = folder.file("part.cassette");
  cassettes::FinishReport report = write_part(options.cassettes[0], options.selection, part);
  if (report.finished) {
    const std::unique_ptr<scrubbers::Scrubber> scrubber =
        scrubber_for(options.rules, cassettes::CassetteReader(part).info(), profile);
    cassettes::FinishOptions finishing;
    finishing.scrubber = scrubber.get();
    report = cassettes::finish(part, finishing);
  }
  if (report.finished) report = write_new(options.out, *cassettes::open_checked_material(part));
  keep_given(options.private_values, profile.get());
  return report_rewrite(report, options.out, false);
}

int run_export(ExportOptions& options) {
  if (options.format == Format::by_name) options.format = format_of(options.out);
  check(options);
  check_output(options);
  if (options.format == Format::cassette) return export_cassette(options);
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
  auto [command, options] = program.command("export", "Convert cassettes to other formats, or copy a part", run_export);
  command.argument("CASSETTE ...", into(options.cassettes), "Cassettes to export").required();
  command.option("-o,--out", "FILE", into(options.out), "Write to this file instead of standard output");
  command.choice("--as",
                 one_of<Format>(options.format, {{"text", Format::text},
                                                 {"har", Format::har},
                                                 {"jsonl", Format::jsonl},
                                                 {"typescript", Format::typescript},
                                                 {"cassette", Format::cassette}}),
                 "Format [default: by the ending of --out: .txt, .har, .jsonl, .ts, .cassette]");
  command.option("--base-url", "URL", into(options.base_url), "Base URL of the device in a HAR file");
  add_selection_options(command, options.selection);
  {
    const Heading heading(command, headings::rules);
    add_rule_options(command, options.rules);
    add_private_options(command, options.private_values);
  }
  command.details =
      "Text is for review and leaves out values that differ between recordings. HAR 1.2 is for browser tools and "
      "Playwright. `tapedeck import` reads JSON lines again. A cassette contains what the filters select; interactions "
      "keep their IDs, sessions, and lanes.";
  command.common = {"--out", "--as", "--call", "--scope", "--take", "--since", "--private"};
  command.examples = {{"Write a HAR file for browser tools", "tapedeck export nas.cassette -o nas.har"},
                      {"Write TypeScript types", "tapedeck export nas.cassette -o nas.ts"},
                      {"Copy one scope, with pseudonyms for private data",
                       "tapedeck export nas.cassette --scope login.spec --private -o login.cassette"}};
}

}  // namespace tapedeck::cli
