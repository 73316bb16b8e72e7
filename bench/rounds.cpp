#include "bench/rounds.h"

namespace tapedeck::bench {
namespace {

void warm_up(const Side& side) {
  if (side.before_round) side.before_round();
  WrkOptions wrk = side.wrk;
  wrk.seconds = 1;
  static_cast<void>(run_wrk(wrk));
}

void measure(const Side& side, SideFigures& figures) {
  if (side.before_round) side.before_round();
  const std::uint64_t before = side.process->cpu_ns();
  const WrkResult result = run_wrk(side.wrk);
  const std::uint64_t used = side.process->cpu_ns() - before;
  figures.per_second.push_back(result.per_second);
  figures.p50_us.push_back(result.p50_us);
  figures.p99_us.push_back(result.p99_us);
  figures.cpu_us.push_back(static_cast<double>(used) / 1000 / static_cast<double>(result.requests));
}

}  // namespace

std::vector<SideFigures> run_rounds(const std::vector<Side>& sides, int rounds,
                                    const std::function<void()>& after_round) {
  std::vector<SideFigures> figures(sides.size());
  for (const Side& side : sides) warm_up(side);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < sides.size(); ++i) measure(sides[i], figures[i]);
    if (after_round) after_round();
  }
  return figures;
}

}  // namespace tapedeck::bench
