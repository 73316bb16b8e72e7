// bench_driver: runs the measurements and prints one table. script/bench calls it.

#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "bench/setup.h"

namespace tapedeck::bench {
namespace {

using Measurement = void (*)(const Setup&, Report&);
const std::vector<std::pair<std::string, Measurement>> measurements{
    {"replay", measure_replay},        {"tls", measure_tls},     {"record", measure_record},
    {"single", measure_single_client}, {"start", measure_start}, {"million", measure_million},
    {"scrub", measure_scrub},          {"size", measure_size},   {"growth", measure_growth},
};

/// A thousand connections on each of three processes need more than the usual 1024 descriptors.
void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

int run(const Setup& setup, const std::vector<std::string>& only, const std::filesystem::path& json,
        const std::string& markdown) {
  raise_descriptor_limit();
  std::filesystem::create_directories(setup.work);
  Report report(json);
  int failed = 0;
  for (const auto& [name, measure] : measurements) {
    if (!only.empty() && std::find(only.begin(), only.end(), name) == only.end()) continue;
    try {
      fmt::print("measuring: {}\n", name);
      std::fflush(stdout);
      measure(setup, report);
      report.save();
    } catch (const std::exception& error) {
      fmt::print(stderr, "bench: {}: {}\n", name, error.what());
      ++failed;
    }
  }
  fmt::print("\n{}", report.table());
  if (!markdown.empty()) std::ofstream(markdown) << report.markdown();
  return failed == 0 ? 0 : 1;
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const auto& [name, measure] : measurements) out.push_back(name);
  return out;
}

}  // namespace

/// Takes the figures of bench_micro that the table has a line for.
void measure_scrub(const Setup& setup, Report& report) {
  const std::filesystem::path out = setup.work / "scrub.json";
  static_cast<void>(output_of({(setup.tools / "bench_micro").string(), "--benchmark_filter=scrub|memchr",
                               fmt::format("--benchmark_repetitions={}", setup.rounds()),
                               "--benchmark_enable_random_interleaving=true", "--benchmark_min_time=0.3",
                               "--benchmark_out=" + out.string(), "--benchmark_out_format=json"}));
  std::ifstream in(out);
  const nlohmann::json figures = nlohmann::json::parse(in);
  std::map<std::string, std::vector<double>> rates;
  for (const nlohmann::json& line : figures.at("benchmarks")) {
    if (line.at("run_type") == "iteration")
      rates[line.at("run_name").get<std::string>()].push_back(line.at("bytes_per_second").get<double>() / 1e6);
  }
  const std::vector<double> memchr = rates.at("memchr");
  report.set(Row{"scrub.10", "scrubbing JSON of 64 kB, 10 learned values", "MB/s", rates.at("scrub/10"), {}, {}, 300});
  report.set(
      Row{"scrub.2000", "scrubbing JSON of 64 kB, 2,000 learned values", "MB/s", rates.at("scrub/2000"), {}, {}, 200});
  report.set(Row{"scrub.usual", "scrubbing the 288 bodies one by one, 10 learned values", "MB/s",
                 rates.at("scrub, usual sizes/10")});
  report.set(Row{"scrub.memchr", "scrubbing JSON of 64 kB, 10 learned values", "MB/s", rates.at("scrub/10"), memchr,
                 "memchr"});
}

}  // namespace tapedeck::bench

int main(int argc, char** argv) {
  CLI::App app("Measures tapedeck beside nginx");
  tapedeck::bench::Setup setup;
  std::vector<std::string> only;
  std::string json, markdown;
  app.add_option("--tools", setup.tools, "Folder of the benchmark tools")->required();
  app.add_option("--tapedeck", setup.tapedeck, "The program")->required();
  app.add_option("--work", setup.work, "Folder for loads, logs and configurations")->required();
  app.add_option("--json", json, "Figures, kept from run to run")->required();
  app.add_option("--markdown", markdown, "Also write the tables here");
  app.add_option("--only", only, "Measure this alone; may be given again")
      ->check(CLI::IsMember(tapedeck::bench::names()))
      ->allow_extra_args(false);
  app.add_flag("--quick", setup.quick, "Short rounds, medians of 3, 100,000 interactions for a million");
  CLI11_PARSE(app, argc, argv);
  setup.work = std::filesystem::absolute(setup.work);
  return tapedeck::bench::run(setup, only, json, markdown);
}
