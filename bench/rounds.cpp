#include "bench/rounds.h"

namespace tapedeck::bench {

std::vector<SideFigures> run_rounds(const std::vector<Side>& sides, int rounds) {
  std::vector<SideFigures> figures(sides.size());
  for (const Side& side : sides) {
    WrkOptions warm = side.wrk;
    warm.seconds = 1;
    static_cast<void>(run_wrk(warm));
  }
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < sides.size(); ++i) {
      const std::uint64_t before = sides[i].process->cpu_ns();
      const WrkResult result = run_wrk(sides[i].wrk);
      const std::uint64_t used = sides[i].process->cpu_ns() - before;
      figures[i].per_second.push_back(result.per_second);
      figures[i].p50_us.push_back(result.p50_us);
      figures[i].p99_us.push_back(result.p99_us);
      figures[i].cpu_us.push_back(static_cast<double>(used) / 1000 / static_cast<double>(result.requests));
    }
  }
  return figures;
}

}  // namespace tapedeck::bench
