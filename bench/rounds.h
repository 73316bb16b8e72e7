#pragma once
// Two sides under the same load, in turn: A B A B …

#include <functional>
#include <vector>

#include "bench/child.h"
#include "bench/wrk.h"

namespace tapedeck::bench {

struct Side {
  WrkOptions wrk;
  const Child* process = nullptr;           ///< whose CPU time counts
  std::function<void()> before_round = {};  ///< what the side needs anew for each run, the first short one too
};

struct SideFigures {
  std::vector<double> per_second, p50_us, p99_us;
  std::vector<double> cpu_us;  ///< CPU time per request, in microseconds
};

/// One short round of each side first, which does not count; then `rounds` of each, `after_round` after all sides had
/// theirs. wrk's time is options of each side.
[[nodiscard]] std::vector<SideFigures> run_rounds(const std::vector<Side>& sides, int rounds,
                                                  const std::function<void()>& after_round = {});

}  // namespace tapedeck::bench
