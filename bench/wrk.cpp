#include "bench/wrk.h"

#include <fmt/format.h>

#include <cmath>
#include <sstream>
#include <stdexcept>

#include "bench/child.h"

namespace tapedeck::bench {

WrkResult run_wrk(const WrkOptions& options) {
  const std::string output =
      output_of({"wrk", "-t1", fmt::format("-c{}", options.connections),
                 fmt::format("-d{}s", std::lround(std::max(1.0, options.seconds))), "--timeout", "30s", "--latency",
                 "-s", TAPEDECK_BENCH_LUA, options.url, "--", options.plan.string(), options.files ? "file" : "api",
                 options.random ? "random" : "turn", std::to_string(options.sessions)});
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
