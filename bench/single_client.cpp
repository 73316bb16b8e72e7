// Measures the effect of a recorder on one client: its p50 through tapedeck minus its p50 directly to the device,
// beside the time of one fdatasync in the same minutes.

#include <chrono>
#include <stdexcept>

#include "bench/client.h"
#include "bench/disk.h"
#include "bench/setup.h"

namespace tapedeck::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Returns the p50 of `count` consecutive calls on one connection, in microseconds.
double p50(std::uint16_t port, const Load& load, int count) {
  Client client(port);
  std::vector<double> microseconds;
  for (int i = 0; i < count; ++i) {
    const std::string target = load.target(static_cast<std::uint64_t>(i) % load.plan().count);
    const Clock::time_point start = Clock::now();
    const Answer answer = client.get(target);
    microseconds.push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
    if (answer.status != 200) throw std::runtime_error("a single client got an error");
  }
  return median(microseconds);
}

}  // namespace

void measure_single_client(const Setup& setup, Report& report) {
  const LoadFolder folder = load_folder(setup, {}, true);
  const Load load(folder.plan);
  const Nginx device({Nginx::Role::device, setup.work / "nginx-device", folder.files()});
  const Nginx proxy({Nginx::Role::proxy, setup.work / "nginx-proxy", {}, device.port()});
  const Server record = start_record(setup, new_cassette(setup, "single"), device.port());
  const int calls = setup.quick ? 300 : 1000;
  std::vector<double> added, added_by_nginx, syncs;
  for (int round = 0; round < setup.rounds(); ++round) {
    const double direct = p50(device.port(), load, calls);
    added.push_back(p50(record.port, load, calls) - direct);
    added_by_nginx.push_back(p50(proxy.port(), load, calls) - direct);
    syncs.push_back(median(sync_times(setup.work / "sync.probe", calls)));
  }
  report.set(Row{"single.sync", "the disk's fdatasync, p50", "µs", syncs});
  report.set(Row{"single.nginx", "single client, p50 added by nginx proxy_pass", "µs", added_by_nginx});
  report.set(
      Row{"single.added", "single client, p50 added by recording", "µs", added, {}, {}, {}, 150 + 1.5 * median(syncs)});
}

}  // namespace tapedeck::bench
