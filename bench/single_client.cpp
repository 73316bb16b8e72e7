// What one client feels of a recorder: its p50 through tapedeck less its p50 straight to the device, beside what the
// disk needs for one fdatasync in the same minutes.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>

#include "bench/client.h"
#include "bench/setup.h"

namespace tapedeck::bench {
namespace {

using Clock = std::chrono::steady_clock;
double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

/// The p50 of `count` calls, one after the other on one connection.
double p50(std::uint16_t port, const Load& load, int count) {
  Client client(port);
  std::vector<double> microseconds;
  for (int i = 0; i < count; ++i) {
    const std::string target = load.target(static_cast<std::uint64_t>(i) % load.plan().count);
    const Clock::time_point start = Clock::now();
    const Answer answer = client.get(target);
    microseconds.push_back(microseconds_since(start));
    if (answer.status != 200) throw std::runtime_error("a single client got an error");
  }
  return median(microseconds);
}

/// The p50 of fdatasync after 16 KiB were written over in a file of 16 MiB: what a commit cannot do without. The file
/// does not grow, as a write-ahead log does not once it has been used: growing would cost a journal entry more.
double sync_p50(const std::filesystem::path& file, int count) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) throw std::runtime_error("cannot write " + file.string());
  constexpr int blocks = 1024;
  const std::string block(16 * 1024, 'x');
  const auto put = [&](int place) {
    const auto offset = static_cast<off_t>(place % blocks) * static_cast<off_t>(block.size());
    return pwrite(descriptor, block.data(), block.size(), offset) == static_cast<ssize_t>(block.size());
  };
  bool good = true;
  for (int place = 0; place < blocks; ++place) good = good && put(place);
  good = good && fsync(descriptor) == 0;
  std::vector<double> microseconds;
  for (int i = 0; i < count && good; ++i) {
    good = put(i);
    const Clock::time_point start = Clock::now();
    good = good && fdatasync(descriptor) == 0;
    microseconds.push_back(microseconds_since(start));
  }
  close(descriptor);
  std::filesystem::remove(file);
  if (!good) throw std::runtime_error("the disk does not take the probe");
  return median(microseconds);
}

}  // namespace

void measure_single_client(const Setup& setup, Report& report) {
  const LoadFolder folder = load_folder(setup, {}, true);
  const Load load(folder.plan);
  const Nginx device({Nginx::Role::device, setup.work / "nginx-device", folder.files()});
  const Nginx proxy({Nginx::Role::proxy, setup.work / "nginx-proxy", {}, device.port()});
  const std::filesystem::path cassette = setup.work / "single.cassette";
  for (const char* side : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(cassette.string() + side);
  const Server record = start_record(setup, cassette, device.port());
  const int calls = setup.quick ? 300 : 1000;
  std::vector<double> added, added_by_nginx, syncs;
  for (int round = 0; round < setup.rounds(); ++round) {
    const double direct = p50(device.port(), load, calls);
    added.push_back(p50(record.port, load, calls) - direct);
    added_by_nginx.push_back(p50(proxy.port(), load, calls) - direct);
    syncs.push_back(sync_p50(setup.work / "sync.probe", calls));
  }
  report.set(Row{"single.sync", "the disk's fdatasync, p50", "µs", syncs});
  report.set(Row{"single.nginx", "single client, p50 added by nginx proxy_pass", "µs", added_by_nginx});
  report.set(
      Row{"single.added", "single client, p50 added by recording", "µs", added, {}, {}, {}, 200 + 1.5 * median(syncs)});
}

}  // namespace tapedeck::bench
