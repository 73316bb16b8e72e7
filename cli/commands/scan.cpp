// tapedeck scan: runs the independent leak scan on files and folders.

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cassettes/file/files.h"
#include "cassettes/finish/finish.h"
#include "cassettes/read/cassette_reader.h"
#include "cassettes/read/check_cassette.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/options/rule_options.h"
#include "cli/options/values_file.h"
#include "cli/reports/cassette_text.h"
#include "cli/reports/progress_bar.h"
#include "scan/leak_scan.h"
#include "scrubbers/private/private_profile.h"
#include "scrubbers/private/private_shapes.h"

namespace tapedeck::cli {
namespace {

/// Findings of one rule in one part of an interaction, without values.
struct PrivateFinding {
  std::string id;
  std::string key;  ///< the key, with pseudonyms for the values found in it
  scrubbers::Part part = scrubbers::Part::response_body;
  std::string rule;
  std::uint64_t count = 0;
};

void add_findings(const cassettes::FullInteraction& full, scrubbers::PrivateProfile& profile,
                  std::vector<PrivateFinding>& findings) {
  scrubbers::InteractionRecord record = full.record;
  if (scrubbers::holds_position(record.response.body)) {
    findings.push_back(
        {full.line.id, profile.applied(full.line.key), scrubbers::Part::response_body, "private-picture-position", 1});
  }
  if (!profile.apply(record)) return;
  for (const cassettes::Added& added : cassettes::added_redactions(full.record.redactions, record.redactions)) {
    findings.push_back({full.line.id, profile.applied(full.line.key), added.part, added.rule, added.count});
  }
}

/// Returns findings in the order of `ls`. `options` contain the values that stay; their table is not used.
std::vector<PrivateFinding> private_findings(const cassettes::CassetteReader& cassette,
                                             const scrubbers::PrivateOptions& options) {
  scrubbers::PrivateProfile profile({options.keep, options.replace, std::nullopt, false});
  std::uint64_t known = 0;
  std::vector<PrivateFinding> findings;
  // A later interaction may show that a value in an earlier one is private.
  constexpr int most_rounds = 4;
  for (int round = 0; round < most_rounds && (round == 0 || known != profile.generation()); ++round) {
    known = profile.generation();
    findings.clear();
    cassette.each([&](const cassettes::FullInteraction& full) {
      add_findings(full, profile, findings);
      return true;
    });
  }
  return findings;
}

struct ScanCommandOptions {
  std::vector<std::string> paths;
  std::string values_file;
  std::vector<std::string> allow;
  bool strict = false;
  bool json = false;
  bool private_values = false;  ///< --private
  std::string config;           ///< configuration file, for the private values to keep
};

/// Reads the values to search for. Returns the number of values that are too short to search for.
std::size_t read_values(const std::string& file, scan::LearnedValues& values) {
  std::size_t too_short = 0;
  each_value(file, [&](std::string_view value) {
    if (value.size() < scan::LearnedValues::min_word) {
      ++too_short;
      return;
    }
    values.add(value, value.size() < scan::LearnedValues::min_anywhere ? scan::Search::word : scan::Search::anywhere);
  });
  return too_short;
}

/// Checks the hash of each cassette. If another program changed a body, the scan's result does not describe the
/// recording.
void compare_bodies(scan::ScanReport& report) {
  for (const scan::ScanReport::Cassette& cassette : report.settled) {
    const std::string path = cassette.path.string();
    try {
      cassettes::check_cassette(path);
    } catch (const cassettes::CassetteError& error) {
      std::string_view whole = error.what();
      std::string why(base::take_until(whole, '\n'));
      if (why.starts_with(path)) why.replace(0, path.size(), cassette.shown);
      report.unsettled.push_back(std::move(why));
    }
  }
}

/// Refuses paths that are only Git LFS pointers. Returns a line for each one in a folder.
std::vector<std::string> lfs_pointers_in(const std::vector<std::string>& paths) {
  std::vector<std::string> lines;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      cassettes::refuse_lfs_pointer(path);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.path().extension() != ".cassette" || !entry.is_regular_file() || entry.is_symlink()) continue;
      try {
        cassettes::refuse_lfs_pointer(entry.path());
      } catch (const cassettes::CassetteError& error) {
        std::string_view line = error.what();
        lines.emplace_back(base::take_until(line, '\n'));
      }
    }
  }
  return lines;
}

std::string what_of(const scan::Finding& finding) {
  return fmt::format("{}: {}: {}{}", printable(finding.path), printable(finding.place), printable(finding.rule),
                     finding.via.empty() ? "" : " through " + printable(finding.via));
}

struct PrivateReport {
  struct Row {
    std::string path;
    PrivateFinding finding;
  };
  std::vector<Row> rows;
  std::uint64_t cassettes = 0;
};

/// Looks for private values in a cassette. Other files are skipped, because only a cassette's redaction rows
/// distinguish pseudonyms from values.
void look_into(const std::filesystem::path& path, const scrubbers::PrivateOptions& config, PrivateReport& report) {
  constexpr std::string_view sqlite = "SQLite format 3";
  std::string head(sqlite.size(), '\0');
  std::ifstream(path, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
  if (head != sqlite) return;
  const cassettes::CassetteReader cassette(path);
  ++report.cassettes;
  for (PrivateFinding& finding : private_findings(cassette, config)) {
    report.rows.push_back({path, std::move(finding)});
  }
}

PrivateReport private_report(const ScanCommandOptions& options) {
  PrivateReport report;
  const Config config = read_config({options.config});
  for (const std::string& path : options.paths) {
    if (!std::filesystem::is_directory(path)) {
      look_into(path, config.private_values, report);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.is_regular_file() && !entry.is_symlink()) look_into(entry.path(), config.private_values, report);
    }
  }
  return report;
}

void print_private(const PrivateReport& report) {
  for (const auto& [path, finding] : report.rows) {
    std::cout << fmt::format("private  {}: {}  {}: {} {} by {}\n", printable(path), finding.id, printable(finding.key),
                             scrubbers::to_string(finding.part), finding.count, printable(finding.rule));
  }
  std::cout << fmt::format("{}: {} {} private and {} not replaced by a pseudonym\n",
                           counted(report.cassettes, "cassette"), counted(report.rows.size(), "place"),
                           report.rows.size() == 1 ? "looks" : "look", report.rows.size() == 1 ? "is" : "are");
}

nlohmann::ordered_json json_of(const PrivateReport& report) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& [path, finding] : report.rows) {
    list.push_back({{"path", path},
                    {"id", finding.id},
                    {"key", finding.key},
                    {"part", scrubbers::to_string(finding.part)},
                    {"rule", finding.rule},
                    {"count", finding.count}});
  }
  return list;
}

void print_report(const scan::ScanReport& report, std::size_t too_short) {
  for (const scan::Finding& finding : report.findings) {
    std::cout << (finding.learned ? "FOUND    " : "suspect  ") << what_of(finding) << "  [" << finding.fingerprint
              << "]\n";
  }
  for (const std::string& line : report.incomplete) std::cout << "incomplete search: " << printable(line) << '\n';
  for (const std::string& line : report.unsettled) std::cout << printable(line) << '\n';
  if (too_short > 0) {
    std::cout << fmt::format("{} of the given values {} shorter than {} bytes and {} skipped\n", too_short,
                             too_short == 1 ? "is" : "are", scan::LearnedValues::min_word,
                             too_short == 1 ? "was" : "were");
  }
  std::cout << fmt::format("{}, {}: {} found, {}, {} allowed\n", counted(report.files, "file"),
                           human_bytes(report.bytes_read), counted(report.learned, "given value"),
                           counted(report.heuristic, "suspect"), report.allowed);
  if (report.allowed_by_file > 0) {
    std::cout << fmt::format("{} {} marked as reviewed in the cassettes; --strict lists them\n", report.allowed_by_file,
                             report.allowed_by_file == 1 ? "is" : "are");
  }
}

void print_json(const scan::ScanReport& report, std::size_t too_short, const std::optional<PrivateReport>& found) {
  nlohmann::ordered_json out;
  out["findings"] = nlohmann::ordered_json::array();
  for (const scan::Finding& finding : report.findings) {
    out["findings"].push_back({{"path", finding.path},
                               {"place", finding.place},
                               {"rule", finding.rule},
                               {"via", finding.via},
                               {"given", finding.learned},
                               {"fingerprint", finding.fingerprint}});
  }
  out["given_found"] = report.learned;
  out["suspects"] = report.heuristic;
  out["allowed"] = report.allowed;
  out["allowed_by_file"] = report.allowed_by_file;
  out["files"] = report.files;
  out["bytes_read"] = report.bytes_read;
  out["unsettled"] = report.unsettled;
  out["given_too_short"] = too_short;
  out["incomplete"] = report.incomplete;
  if (found) out["private"] = json_of(*found);
  cli::print_json(out);
}

int scan_command(const ScanCommandOptions& options) {
  if (!options.config.empty() && !options.private_values) throw UsageError("--config requires --private");
  scan::LearnedValues values;
  const std::size_t too_short = options.values_file.empty() ? 0 : read_values(options.values_file, values);
  scan::ScanOptions scanning;
  scanning.learned = &values;
  scanning.allowed.insert(options.allow.begin(), options.allow.end());
  scanning.file_allows = !options.strict;
  ProgressBar bar;
  scanning.progress = [&bar](std::uint64_t done, std::uint64_t total) { bar.show("scanning", done, total); };
  const std::vector<std::filesystem::path> paths(options.paths.begin(), options.paths.end());
  for (const std::string& path : options.paths) mention_side_files(path);
  const std::vector<std::string> pointers = lfs_pointers_in(options.paths);
  scan::ScanReport report = scan::scan_paths(paths, scanning);
  report.incomplete.insert(report.incomplete.end(), pointers.begin(), pointers.end());
  compare_bodies(report);
  bar.end();
  const auto found = options.private_values ? std::optional(private_report(options)) : std::nullopt;
  options.json ? print_json(report, too_short, found) : print_report(report, too_short);
  if (found && !options.json) print_private(*found);
  if (report.learned > 0 || report.heuristic > 0 || (found && !found->rows.empty())) return incomplete;
  if (!report.incomplete.empty() || too_short > 0) return run_failed;
  return report.unsettled.empty() ? fine : incomplete;
}

}  // namespace

void add_scan(Command& program) {
  auto [command, options] = program.command("scan", "Search files and folders for secrets", scan_command);
  command.argument("PATH ...", into(options.paths), "Cassettes, logs, or any other files or folders").required();
  command.option("--values", "FILE", into(options.values_file),
                 "Also search for the values in this file, one per line (- for standard input)");
  add_fingerprints(command, "--allow", options.allow, "Do not report the suspect with this fingerprint");
  command.flag("--strict", options.strict, "Also report suspects already marked as reviewed");
  command.flag("--private", options.private_values, "Also list private data that was not replaced");
  command.option("--config", "FILE", into(options.config),
                 "Read the exceptions from this configuration file (TOML; with --private)");
  command.flag("--json", options.json, "Print JSON");
  command.details =
      "A suspect is a value that looks like a secret. The exit status is 3 if something was found, or if a cassette is "
      "unfinished, unverified (its recorder was killed, and secrets may remain), or changed by another program. It is "
      "1 if something could not be searched completely, or if a given value is shorter than 3 bytes. Values of 3 to 7 "
      "bytes are searched for as whole words.";
  command.examples = {{"Search a cassette for secrets", "tapedeck scan nas.cassette"},
                      {"Search logs for known values", "tapedeck scan --values secrets.txt logs/"}};
}

}  // namespace tapedeck::cli
