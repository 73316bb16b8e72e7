// Measures scrubbing.

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/setup.h"

namespace tapedeck::bench {

/// Adds the figures of bench_micro that have a line in the table.
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
