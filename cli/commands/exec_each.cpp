#include "cli/commands/exec_each.h"

#include <glob.h>

#include <algorithm>
#include <iostream>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cassettes/read/cassette_reader.h"
#include "cli/app.h"
#include "cli/reports/progress_bar.h"
#include "cli/reports/report_file.h"
#include "cli/reports/run_report.h"
#include "cli/running/trial.h"
#include "cli/terminal.h"
#include "cli/usage_error.h"

namespace tapedeck::cli {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Suite, name, cases, failures, body, output)

namespace {

using nlohmann::json;

/// Returns the paths that match, sorted and without duplicates.
std::vector<std::string> paths_of(const std::vector<std::string>& patterns) {
  std::set<std::string> paths;
  for (const std::string& pattern : patterns) {
    glob_t found{};
    const int failure = glob(pattern.c_str(), GLOB_BRACE, nullptr, &found);
    for (std::size_t i = 0; failure == 0 && i < found.gl_pathc; ++i) paths.insert(found.gl_pathv[i]);
    globfree(&found);
    if (failure != 0) throw UsageError("--each " + pattern + ": no such file");
  }
  return {paths.begin(), paths.end()};
}

/// The result of the command with one cassette.
struct Row {
  std::string cassette, model, firmware;
  TrialResult result;
  int exit_status = 0;

  [[nodiscard]] std::string outcome() const {
    if (exit_status == fine) return "passed";
    return result.status == 0 ? "failed (--strict)" : fmt::format("failed ({})", result.status);
  }
  /// Returns the first failed test, or else the first miss.
  [[nodiscard]] std::string reason() const {
    const auto failing = result.failing();
    if (!failing.empty()) return failing.front();
    return result.misses.empty() ? "-" : result.misses.front().substr(0, result.misses.front().find("; "));
  }
};

/// Returns what the process of a run stores in TrialResult::report.
std::string report_of_run(ReplayRun& run, int status, const Strict& strict, const std::string& cassette) {
  const RunReport report = gather_report(run, status, strict);
  const json said = {{"exit_status", report.exit_status},
                     {"suite", report_suite(report, cassette)},
                     {"report", report_json(report)}};
  return said.dump(-1, ' ', false, json::error_handler_t::replace);
}

Suite suite_of(const Row& row) {
  Suite suite = json::parse(row.result.report)["suite"].get<Suite>();
  for (const auto& [name, failed] : row.result.tests) {
    suite.add("tests", name, failed ? "the test failed with " + row.cassette : "");
  }
  return suite;
}

std::string json_of(const std::vector<Row>& rows, int exit_status) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    nlohmann::ordered_json one = {{"cassette", row.cassette}, {"model", row.model}, {"firmware", row.firmware}};
    one["passed"] = row.exit_status == fine;
    one["failing_tests"] = row.result.failing();
    one["report"] = nlohmann::ordered_json::parse(json::parse(row.result.report)["report"].get<std::string>());
    list.push_back(std::move(one));
  }
  const nlohmann::ordered_json out = {{"cassettes", std::move(list)}, {"exit_status", exit_status}};
  return base::printable_json(out.dump(2, ' ', false, json::error_handler_t::replace)) + "\n";
}

std::string junit_of(const std::vector<Row>& rows) {
  std::vector<Suite> suites;
  for (const Row& row : rows) suites.push_back(suite_of(row));
  return junit_document(suites);
}

void print_matrix(const std::vector<Row>& rows) {
  std::vector<std::vector<std::string>> lines;
  for (const Row& row : rows) {
    lines.push_back({printable(row.cassette), printable(row.model), printable(row.firmware), row.outcome(),
                     printable(row.reason())});
  }
  print_table({"CASSETTE", "MODEL", "FIRMWARE", "RESULT", "FIRST FAILING TEST OR MISS"}, lines);
  std::cout << std::flush;
}

Row row_of(const std::string& cassette) {
  const cassettes::CassetteReader reader(cassette);
  Row row;
  row.cassette = cassette;
  if (reader.info().takes.empty()) return row;
  row.model = reader.info().takes.back().model;
  row.firmware = reader.info().takes.back().firmware;
  return row;
}

}  // namespace

int exec_each(const ReplayCommandOptions& replay, const EachOptions& each, const std::vector<std::string>& command,
              const ReportFile& file) {
  const Strict strict(replay.strict, Strict::on_replay);
  std::vector<Row> rows;
  for (const std::string& path : paths_of(each.patterns)) rows.push_back(row_of(path));
  TrialOptions options;
  options.replay = replay;
  options.command = command;
  options.junit = each.junit;
  options.shows_output = true;
  std::string cassette;
  options.report = [&](ReplayRun& run, int status) { return report_of_run(run, status, strict, cassette); };
  TrialRunner runner(std::move(options));
  std::size_t done = 0;
  for (Row& row : rows) {
    cassette = row.cassette;
    std::cerr << fmt::format("tapedeck exec: {} ({} of {})\n", printable(row.cassette), done + 1, rows.size());
    row.result = runner.run(Trial{{row.cassette}, {}});
    if (row.result.is_stopped || !runner.goes_on()) break;
    if (!row.result.has_run) return row.result.status;
    row.exit_status = json::parse(row.result.report)["exit_status"].get<int>();
    ++done;
  }
  const bool is_stopped = done < rows.size();
  rows.resize(done);
  const bool any_failed = std::any_of(rows.begin(), rows.end(), [](const Row& row) { return row.exit_status != fine; });
  const int status = is_stopped ? run_failed : any_failed ? incomplete : fine;
  print_matrix(rows);
  if (file.is_wanted()) file.write(file.is_xml() ? junit_of(rows) : json_of(rows, status));
  if (is_stopped) std::cerr << "tapedeck: stopped; the remaining cassettes were not tried\n";
  return status;
}

}  // namespace tapedeck::cli
