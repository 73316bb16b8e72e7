#pragma once
// Two sides under the same load, in turn: A B A B …

#include <vector>

#include "bench/child.h"
#include "bench/wrk.h"

namespace tapedeck::bench {

struct Side {
  WrkOptions wrk;
  const Child* process = nullptr;  ///< whose CPU time counts
};

struct SideFigures {
  std::vector<double> per_second, p50_us, p99_us;
  std::vector<double> cpu_us;  ///< CPU time per request, in microseconds
};

/// One short round of each side first, which does not count; then `rounds` of each. wrk's time is options of each side.
[[nodiscard]] std::vector<SideFigures> run_rounds(const std::vector<Side>& sides, int rounds);

}  // namespace tapedeck::bench
