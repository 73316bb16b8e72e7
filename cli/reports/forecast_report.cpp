#include "cli/reports/forecast_report.h"

#include <algorithm>
#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/console/terminal.h"
#include "cli/reports/report_file.h"

namespace tapedeck::cli {
namespace {

using tools::BreakingSet;
using tools::FirmwareChange;

constexpr const char* whole_command = "the command";

std::string shown_name(const std::string& test) { return test.empty() ? whole_command : test; }

std::string tests_of(const BreakingSet& set) {
  constexpr std::size_t most_named = 3;
  std::string text;
  std::size_t named = 0;
  for (const std::string& test : set.tests) {
    if (test.empty() && set.tests.size() > 1) continue;
    if (named++ == most_named) return text + fmt::format(", … ({} in all)", set.tests.size());
    text += (text.empty() ? "" : ", ") + shown_name(test);
  }
  return text;
}

std::string firmware_text(const Firmware& firmware) {
  std::string text = firmware.path;
  if (!firmware.model.empty() || !firmware.version.empty()) {
    text += " (" + firmware.model + (firmware.model.empty() || firmware.version.empty() ? "" : ", ") +
            firmware.version + ")";
  }
  return text;
}

std::string what_of(const FirmwareChange& change, bool with_values) {
  return to_string(change) + (with_values && !change.values.empty() ? " (" + change.values + ")" : "");
}

std::size_t breaking_changes(const ForecastResult& result) {
  std::set<std::size_t> changes;
  for (const BreakingSet& set : result.breakage.sets) changes.insert(set.changes.begin(), set.changes.end());
  return changes.size();
}

/// Describes how the search ended if it did not try everything.
std::string ending_text(const ForecastResult& result) {
  if (result.breakage.is_flaky)
    return "the command is not reliable: it did not fail each time with the same changes, or failed without changes";
  if (result.breakage.is_complete && !result.is_stopped) return {};
  const std::string why = result.is_stopped     ? "it was stopped"
                          : result.is_time_over ? "the time of --time is over"
                                                : "--most was reached";
  return "not every change was tried: " + why;
}

void print_sets(const ForecastResult& result, const tools::FirmwareComparison& comparison, bool with_values) {
  std::vector<std::vector<std::string>> rows;
  std::size_t number = 0;
  for (const BreakingSet& set : result.breakage.sets) {
    ++number;
    for (const std::size_t place : set.changes) {
      const FirmwareChange& change = comparison.changes[place];
      const bool is_first = place == set.changes.front();
      rows.push_back({std::to_string(number), printable(change.call), printable(change.path),
                      printable(what_of(change, with_values)),
                      is_first ? printable(tests_of(set)) : "(only together)"});
    }
  }
  print_table({"SET", "CALL", "PATH", "CHANGE", "BREAKS"}, rows);
}

}  // namespace

void print_forecast(const ForecastResult& result, const tools::FirmwareComparison& comparison, bool with_values) {
  std::cout << fmt::format("{} -> {}: {}\n", printable(firmware_text(result.before)),
                           printable(firmware_text(result.after)), counted(result.changes, "change"));
  const std::size_t breaking = breaking_changes(result);
  if (breaking > 0) print_sets(result, comparison, with_values);
  const std::string ending = ending_text(result);
  if (breaking == 0 && ending.empty()) std::cout << "nothing breaks: the command passes with all changes\n";
  const std::size_t called = result.changes - result.not_called;
  if (ending.empty()) {
    std::cout << fmt::format("harmless: {}, {} of them to calls that the command does not make\n",
                             counted(result.changes - breaking, "change"), result.not_called);
  } else {
    std::cout << fmt::format("{}: {} to calls that the command makes, {} to others\n", ending,
                             counted(called, "change"), result.not_called);
  }
  if (!result.unknown.empty()) {
    std::cout << fmt::format("unknown, because {} has no recording of {}:\n", printable(result.after.path),
                             counted(result.unknown.size(), "call"));
    for (const std::string& call : result.unknown) std::cout << "  " << printable(call) << '\n';
  }
  if (!result.misses_before.empty()) {
    std::cout << fmt::format("not recorded in {} either:\n", printable(result.before.path));
    for (const std::string& miss : result.misses_before) std::cout << "  " << printable(miss) << '\n';
  }
  std::cout << fmt::format("checked: the command passes twice with {}, {} in all", printable(result.before.path),
                           counted(result.runs, "run"));
  if (breaking > 0) std::cout << "; each set broke it three more times, and without changes it passed again";
  std::cout << std::endl;
}

void print_forecast_json(const ForecastResult& result, const tools::FirmwareComparison& comparison, bool with_values,
                         int exit_status) {
  using nlohmann::ordered_json;
  const auto firmware = [](const Firmware& one) {
    return ordered_json{{"path", one.path}, {"model", one.model}, {"firmware", one.version}};
  };
  ordered_json sets = ordered_json::array();
  for (const BreakingSet& set : result.breakage.sets) {
    ordered_json changes = ordered_json::array();
    for (const std::size_t place : set.changes) {
      const FirmwareChange& change = comparison.changes[place];
      ordered_json one = {{"call", change.call}, {"path", change.path}, {"change", to_string(change)}};
      if (with_values && !change.values.empty()) one["values"] = change.values;
      changes.push_back(std::move(one));
    }
    ordered_json tests = ordered_json::array();
    for (const std::string& test : set.tests) {
      if (!test.empty()) tests.push_back(test);
    }
    sets.push_back({{"changes", std::move(changes)}, {"tests", std::move(tests)}});
  }
  const ordered_json out = {{"old", firmware(result.before)},
                            {"new", firmware(result.after)},
                            {"breaks", !result.breakage.sets.empty()},
                            {"complete", result.breakage.is_complete && !result.is_stopped},
                            {"reliable", !result.breakage.is_flaky},
                            {"sets", std::move(sets)},
                            {"changes", result.changes},
                            {"harmless", result.changes - breaking_changes(result)},
                            {"not_called", result.not_called},
                            {"unknown", result.unknown},
                            {"runs", result.runs},
                            {"exit_status", exit_status}};
  print_json(out);
}

std::string forecast_junit(const ForecastResult& result, const tools::FirmwareComparison& comparison) {
  Suite suite;
  suite.name = "tapedeck forecast";
  const std::string ending = ending_text(result);
  suite.add("tapedeck.forecast", "every change was tried", ending);
  for (std::size_t place = 0; place < comparison.changes.size(); ++place) {
    const FirmwareChange& change = comparison.changes[place];
    std::string failure;
    for (const BreakingSet& set : result.breakage.sets) {
      if (!std::binary_search(set.changes.begin(), set.changes.end(), place)) continue;
      failure +=
          (failure.empty() ? "" : "\n") + ("breaks " + tests_of(set)) +
          (set.changes.size() > 1 ? fmt::format(", only with {}", counted(set.changes.size() - 1, "other change"))
                                  : "");
    }
    if (!ending.empty() && failure.empty()) continue;  // reliability is unknown
    suite.add(change.call, change.path + (change.path.empty() ? "" : " ") + to_string(change), failure);
  }
  return junit_document({suite});
}

}  // namespace tapedeck::cli
