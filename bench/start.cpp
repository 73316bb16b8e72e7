// Measures the time from exec to the first response.

#include <fmt/format.h>

#include <chrono>

#include "bench/client.h"
#include "bench/setup.h"

namespace tapedeck::bench {
namespace {

constexpr int starts = 21;

/// Returns the milliseconds from the fork to the first byte of a response from the cassette.
double one_start(const Setup& setup, const std::string& program, const LoadFolder& load, const std::string& target) {
  const std::uint16_t port = free_port();
  std::vector<std::string> argv = replay_command(setup, {load.cassette()}, port);
  argv.front() = program;
  const auto begin = std::chrono::steady_clock::now();
  const Child replay(argv, setup.work / "start.log");
  Client client(port);
  client.first_byte(target);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

std::vector<double> start_times(const Setup& setup, const std::filesystem::path& program, const LoadFolder& load) {
  const Load made(load.plan);
  std::vector<double> milliseconds;
  for (int i = 0; i < starts; ++i) {
    const std::uint64_t n = load.plan.count / 2 + static_cast<unsigned>(i);
    milliseconds.push_back(one_start(setup, program.string(), load, made.target(n)));
  }
  return milliseconds;
}

}  // namespace

Row start_row(const Setup& setup, const LoadFolder& load, const std::string& id) {
  const std::string what = fmt::format("exec to first answer, {} interactions", load.plan.count);
  if (setup.packaged.empty())
    return {id, what + ", not the packaged program", "ms", start_times(setup, setup.tapedeck, load)};
  return {id, what, "ms", start_times(setup, setup.packaged, load), {}, {}, {}, 8};
}

void measure_start(const Setup& setup, Report& report) {
  report.set(start_row(setup, load_folder(setup, {}, true), "start.small"));
  report.set(start_row(setup, load_folder(setup, {setup.many()}, false), "start.big"));
}

}  // namespace tapedeck::bench
