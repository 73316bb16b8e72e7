#pragma once
// Runs two sides under the same load in turn: A B A B …

#include <functional>
#include <vector>

#include "bench/child.h"
#include "bench/wrk.h"

namespace tapedeck::bench {

struct Side {
  WrkOptions wrk;
  const Child* process = nullptr;           ///< the process whose CPU time counts
  std::function<void()> before_round = {};  ///< prepares the side for each run, including the first short one
};

struct SideFigures {
  std::vector<double> per_second, p50_us, p99_us;
  std::vector<double> cpu_us;  ///< CPU time per request in microseconds
};

/// Runs one short round of each side, which does not count, then `rounds` of each, and calls `after_round` after each
/// round of all sides. The duration of wrk is an option of each side.
[[nodiscard]] std::vector<SideFigures> run_rounds(const std::vector<Side>& sides, int rounds,
                                                  const std::function<void()>& after_round = {});

}  // namespace tapedeck::bench
