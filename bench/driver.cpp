// bench_driver: runs the measurements and prints one table. script/bench calls it.

#include <fmt/format.h>
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>

#include "bench/setup.h"
#include "bench/tables.h"

namespace tapedeck::bench {
namespace {

using Measurement = void (*)(const Setup&, Report&);
const std::vector<std::pair<std::string, Measurement>> measurements{
    {"replay", measure_replay},       {"forms", measure_forms},     {"ids", measure_ids},
    {"sequences", measure_sequences}, {"logins", measure_logins},   {"compounds", measure_compounds},
    {"overlays", measure_overlays},   {"ten", measure_ten},         {"misses", measure_misses},
    {"fallbacks", measure_fallbacks}, {"threads", measure_threads}, {"tls", measure_tls},
    {"record", measure_record},       {"finish", measure_finish},   {"single", measure_single_client},
    {"start", measure_start},         {"million", measure_million}, {"ten-million", measure_ten_million},
    {"size", measure_size},           {"scrub", measure_scrub},     {"growth", measure_growth},
};
constexpr const char* longest = "ten-million";  // making it takes longer than all others together

enum Status { fine = 0, failed = 1, goals_missed = 3 };

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& [name, measure] : measurements) out.push_back(name);
  return out;
}

/// Raises the limit. A thousand connections on each of three processes need more than the usual 1,024 descriptors, and
/// a static server that keeps a million files open needs a million.
void raise_descriptor_limit() {
  constexpr rlim_t most = 1'048'576;
  rlimit limit{most, most};
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// Returns false on failure. The figures measured before are kept.
bool measure_one(const std::string& name, Measurement measure, const Setup& setup, Report& report) {
  fmt::print("measuring: {}\n", name);
  std::fflush(stdout);
  const NeighbourWatch watch;
  try {
    report.begin(name);
    measure(setup, report);
    report.end(watch.seen());
    report.save();
    return true;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench: {}: {}\n", name, error.what());
    return false;
  }
}

Status run(const Setup& setup, const std::vector<std::string>& wanted, const std::filesystem::path& json,
           const std::string& markdown) {
  raise_descriptor_limit();
  std::filesystem::create_directories(setup.work);
  Report report(json, names());
  bool good = true;
  for (const auto& [name, measure] : measurements) {
    if (std::find(wanted.begin(), wanted.end(), name) == wanted.end()) continue;
    good = measure_one(name, measure, setup, report) && good;
  }
  fmt::print("\n{}", plain_table(report));
  if (!markdown.empty()) std::ofstream(markdown) << markdown_tables(report);
  const std::vector<std::string> missed = report.missed(wanted);
  for (const std::string& sentence : missed) fmt::print(stderr, "bench: missed: {}\n", sentence);
  return !good ? failed : missed.empty() ? fine : goals_missed;
}

}  // namespace
}  // namespace tapedeck::bench

int main(int argc, char** argv) {
  using namespace tapedeck::bench;
  CLI::App app("Measures tapedeck beside nginx. Exit status: 1 when a measurement failed, 3 when a goal was missed");
  Setup setup;
  std::vector<std::string> only;
  std::string json, markdown;
  bool ten_million = false;
  app.add_option("--tools", setup.tools, "Folder of the benchmark tools")->required();
  app.add_option("--tapedeck", setup.tapedeck, "The program")->required();
  app.add_option("--packaged", setup.packaged, "The program as it is packaged, for the time that a start takes");
  app.add_option("--work", setup.work, "Folder for loads, logs and configurations")->required();
  app.add_option("--json", json, "Figures, kept for a day")->required();
  app.add_option("--markdown", markdown, "Also write the tables here");
  app.add_option("--only", only, "Measure this alone; may be given again")
      ->check(CLI::IsMember(names()))
      ->allow_extra_args(false);
  app.add_flag("--ten-million", ten_million, "Ten million interactions, too");
  app.add_flag("--quick", setup.quick, "Short rounds, medians of 3, 100,000 interactions for a million");
  CLI11_PARSE(app, argc, argv);
  setup.work = std::filesystem::absolute(setup.work);
  if (only.empty()) {
    only = names();
    if (!ten_million) std::erase(only, longest);
  }
  return run(setup, only, json, markdown);
}
