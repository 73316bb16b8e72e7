#include "bench/wrk.h"

#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "bench/child.h"

namespace tapedeck::bench {
namespace {

std::string ids_argument(const std::string& ids) {
  static int runs = 0;
  return ids == "fresh" ? fmt::format("fresh:madeUpSession{:04}n", ++runs) : ids;
}

std::vector<std::string> script_arguments(const WrkOptions& options) {
  if (options.kind == WrkOptions::Kind::list) {
    std::vector<std::string> list{"list", options.plan};
    if (!options.ids.empty()) list.push_back(ids_argument(options.ids));
    return list;
  }
  const char* order = options.order == WrkOptions::Order::random ? "random"
                      : options.order == WrkOptions::Order::once ? "once"
                                                                 : "turn";
  return {"plan", options.plan, options.kind == WrkOptions::Kind::files ? "file" : "api", order};
}

}  // namespace

WrkResult run_wrk(const WrkOptions& options) {
  std::vector<std::string> argv{"wrk",
                                "-t1",
                                fmt::format("-c{}", options.connections),
                                fmt::format("-d{}s", std::lround(std::max(1.0, options.seconds))),
                                "--timeout",
                                "30s",
                                "--latency",
                                "-s",
                                TAPEDECK_BENCH_LUA,
                                options.url,
                                "--"};
  for (std::string& word : script_arguments(options)) argv.push_back(std::move(word));
  const std::string output = output_of(argv);
  const std::size_t at = output.rfind("RESULT ");
  if (at == std::string::npos) throw std::runtime_error("wrk gave no result: " + output);
  std::istringstream line(output.substr(at + 7));
  WrkResult result;
  std::uint64_t microseconds = 0, errors = 0;
  line >> result.requests >> microseconds >> result.bytes >> errors >> result.p50_us >> result.p99_us;
  if (!line || result.requests == 0) throw std::runtime_error("wrk gave no result: " + output);
  if (errors > 0) throw std::runtime_error(fmt::format("{} of wrk's requests to {} failed", errors, options.url));
  result.per_second = static_cast<double>(result.requests) * 1e6 / static_cast<double>(microseconds);
  return result;
}

}  // namespace tapedeck::bench
