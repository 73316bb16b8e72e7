#include "bench/machine.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

namespace tapedeck::bench {
namespace {

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double processor_seconds(int who) {
  rusage used{};
  getrusage(who, &used);
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

double share(double part, double all) { return all > 0 ? std::clamp(part / all, 0.0, 1.0) : 0; }

}  // namespace

std::string machine() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string line, model = "unknown processor";
  int processors = 0;
  while (std::getline(cpuinfo, line)) {
    if (!line.starts_with("model name")) continue;
    ++processors;
    model = line.substr(line.find(':') + 2);
  }
  utsname system{};
  uname(&system);
  const std::string release = system.release;
  return fmt::format("{} × {}, Linux {}", processors, model, release.substr(0, release.find('-')));
}

double load_average() {
  double minute = 0;
  getloadavg(&minute, 1);
  return minute;
}

NeighbourWatch::NeighbourWatch() : before_(sample()) {}

Neighbours NeighbourWatch::seen() const {
  const Sample now = sample();
  const double all = now.all - before_.all;
  const double others = now.busy - before_.busy - (now.own - before_.own);
  return {share(others, all), share(now.stolen - before_.stolen, all)};
}

/// Parses the first line of /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. Interrupts are not
/// counted.
NeighbourWatch::Sample NeighbourWatch::sample() {
  std::ifstream stat("/proc/stat");
  std::string name;
  std::array<double, 8> ticks{};
  stat >> name;
  for (double& value : ticks) stat >> value;
  Sample sample;
  const auto tick = static_cast<double>(sysconf(_SC_CLK_TCK));
  for (const double value : ticks) sample.all += value / tick;
  sample.busy = (ticks[0] + ticks[1] + ticks[2]) / tick;
  sample.stolen = ticks[7] / tick;
  sample.own = processor_seconds(RUSAGE_SELF) + processor_seconds(RUSAGE_CHILDREN);
  return sample;
}

}  // namespace tapedeck::bench
