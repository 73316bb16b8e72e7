#include "cli/reports/run_report.h"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/app.h"
#include "cli/terminal.h"

namespace tapedeck::cli {
namespace {

using nlohmann::json;

constexpr std::size_t most_printed = 10;

int exit_status(const RunReport& report) {
  if (report.damaged) return run_failed;
  return report.strict && has_gaps(report.stats) ? static_cast<int>(incomplete) : report.command_status;
}

void add_uses(ReplayRun& run, RunReport& report) {
  run.handler().each_use([&report](const replay::SequenceUse& use) {
    if (use.played == 0) {
      report.unused_recordings += use.recordings;
      ++report.unused_sequences;
      if (report.unused.size() < RunReport::most_listed) report.unused.push_back(use);
    } else if (!use.finished) {
      ++report.unfinished_sequences;
      if (report.unfinished.size() < RunReport::most_listed) report.unfinished.push_back(use);
    }
    return true;
  });
}

void print_lines(const std::vector<std::string>& lines, std::uint64_t all) {
  for (std::size_t i = 0; i < lines.size() && i < most_printed; ++i) std::cerr << "  " << printable(lines[i]) << '\n';
  if (all > most_printed) std::cerr << "  … and " << all - most_printed << " more\n";
}

json uses_json(const std::vector<replay::SequenceUse>& uses) {
  json list = json::array();
  for (const replay::SequenceUse& use : uses) {
    list.push_back({{"cassette", use.cassette},
                    {"key", use.key},
                    {"take", use.take},
                    {"lane", use.lane},
                    {"played", use.played},
                    {"recordings", use.recordings}});
  }
  return list;
}

}  // namespace

RunReport gather_report(ReplayRun& run, int command_status, bool strict) {
  RunReport report;
  report.command_status = command_status;
  report.strict = strict;
  report.damaged = run.is_damaged();
  report.stats = run.handler().stats();
  report.misses = run.misses();
  for (journal::JournalTotal& total : run.journal()->totals()) {
    if (total.outcome == "fallback") report.fallbacks.push_back(std::move(total));
  }
  report.unused_overlays = unused_overlays(run.handler().overlays());
  if (!report.damaged) add_uses(run, report);
  report.exit_status = exit_status(report);
  return report;
}

void print_report(const RunReport& report) {
  std::cerr << fmt::format("tapedeck exec: command status {}; {}\n", report.command_status, counts_line(report.stats));
  print_lines(report.misses, report.stats.distinct_misses);
  std::vector<std::string> lines;
  for (const auto& one : report.fallbacks) {
    lines.push_back(fmt::format("fallback: {} {}, {} times", one.api, one.method, one.count));
  }
  print_lines(lines, lines.size());
  lines.clear();
  if (!report.unused_overlays.empty()) {
    std::cerr << fmt::format("overlays that never played: {}\n", report.unused_overlays.size());
    print_lines(report.unused_overlays, report.unused_overlays.size());
  }
  std::cerr << fmt::format("recordings never used: {}\n", report.unused_recordings);
  for (const auto& use : report.unused) lines.push_back(fmt::format("{} ({})", use.key, use.recordings));
  print_lines(lines, report.unused_sequences);
  lines.clear();
  std::cerr << fmt::format("sequences not finished: {}\n", report.unfinished_sequences);
  for (const auto& use : report.unfinished) {
    lines.push_back(fmt::format("{} ({} of {})", use.key, use.played, use.recordings));
  }
  print_lines(lines, report.unfinished_sequences);
  std::cerr << std::flush;
}

std::string report_json(const RunReport& report) {
  const replay::ReplayStats& stats = report.stats;
  json fallbacks = json::array();
  for (const auto& one : report.fallbacks) {
    fallbacks.push_back({{"api", one.api}, {"method", one.method}, {"count", one.count}});
  }
  const json object = {{"command_status", report.command_status},
                       {"exit_status", report.exit_status},
                       {"strict", report.strict},
                       {"damaged", report.damaged},
                       {"counters",
                        {{"recorded", stats.recorded},
                         {"overlay", stats.overlay},
                         {"builtin", stats.builtin},
                         {"fallback", stats.fallback},
                         {"miss", stats.misses},
                         {"distinct_misses", stats.distinct_misses}}},
                       {"misses", report.misses},
                       {"fallbacks", std::move(fallbacks)},
                       {"unused_overlays", report.unused_overlays},
                       {"unused_recordings", report.unused_recordings},
                       {"unused", uses_json(report.unused)},
                       {"unfinished_sequences", report.unfinished_sequences},
                       {"unfinished", uses_json(report.unfinished)}};
  return object.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace tapedeck::cli
