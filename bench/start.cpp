// From exec to the first answer.

#include <fmt/format.h>

#include <chrono>

#include "bench/client.h"
#include "bench/setup.h"

namespace tapedeck::bench {
namespace {

constexpr int starts = 21;

/// Milliseconds from before the fork to the first byte of an answer out of the cassette.
double one_start(const Setup& setup, const LoadFolder& load, const std::string& target) {
  const std::uint16_t port = free_port();
  const std::vector<std::string> argv = replay_command(setup, load.cassette(), port);
  const auto begin = std::chrono::steady_clock::now();
  const Child replay(argv, setup.work / "start.log");
  Client client(port);
  client.first_byte(target);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

Row start_row(const Setup& setup, const LoadFolder& load, const char* id, double at_most) {
  const Load made(load.plan);
  std::vector<double> milliseconds;
  for (int i = 0; i < starts; ++i)
    milliseconds.push_back(one_start(setup, load, made.target(load.plan.count / 2 + static_cast<unsigned>(i))));
  return {id,     fmt::format("exec to first answer, {} interactions", load.plan.count), "ms", milliseconds, {}, {}, {},
          at_most};
}

}  // namespace

void measure_start(const Setup& setup, Report& report) {
  report.set(start_row(setup, load_folder(setup, {}, true), "start.small", 15));
  report.set(start_row(setup, load_folder(setup, {setup.many()}, false), "start.big", 50));
}

}  // namespace tapedeck::bench
