// Measures recording beside nginx's proxy_pass, and the end of a recording.

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>

#include "bench/disk.h"
#include "bench/rounds.h"
#include "bench/setup.h"

namespace tapedeck::bench {
namespace {

constexpr double mb = 1e6;

WrkOptions ask(const Setup& setup, const LoadFolder& load, std::uint16_t port) {
  WrkOptions wrk;
  wrk.url = fmt::format("http://127.0.0.1:{}", port);
  wrk.plan = load.lua();
  wrk.seconds = setup.seconds();
  return wrk;
}

/// Returns the size of an unfinished recording: the file and its log.
double recorded_mb(const std::filesystem::path& cassette) {
  return (size_of(cassette.string() + ".recording") + size_of(cassette.string() + ".recording-wal")) / mb;
}

/// Ends the recorder. Returns the MB/s of the recorded data.
double finish(Server& record, const std::filesystem::path& cassette) {
  const double recorded = recorded_mb(cassette);
  const auto start = std::chrono::steady_clock::now();
  const int status = record.child.stop();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (status != 0) throw std::runtime_error(fmt::format("record ended with {}; see its log", status));
  return recorded / seconds;
}

/// Records each call of the load once. Returns the MB/s of finishing.
double finish_distinct(const Setup& setup, const LoadFolder& load, std::uint16_t device, double& recorded) {
  const std::filesystem::path cassette = new_cassette(setup, "distinct");
  Server record = start_record(setup, cassette, device);
  WrkOptions wrk = ask(setup, load, record.port);
  wrk.order = WrkOptions::Order::once;
  wrk.seconds = 120;
  // Requests that were in flight at the end do not count.
  const auto on_their_way = static_cast<std::uint64_t>(wrk.connections);
  if (run_wrk(wrk).requests + on_their_way < load.plan.count)
    throw std::runtime_error("not every call was recorded in two minutes");
  recorded = recorded_mb(cassette);
  return finish(record, cassette);
}

}  // namespace

void measure_record(const Setup& setup, Report& report) {
  const LoadFolder load = load_folder(setup, {}, true);
  const Nginx device({Nginx::Role::device, setup.work / "nginx-device", load.files()});
  const Nginx proxy({Nginx::Role::proxy, setup.work / "nginx-proxy", {}, device.port()});
  const std::filesystem::path cassette = new_cassette(setup, "recorded");
  Server record = start_record(setup, cassette, device.port());
  check_same_bodies(load, record.port, {});
  check_same_bodies(load, proxy.port(), {});
  std::vector<double> syncs;
  const auto figures =
      run_rounds({{ask(setup, load, record.port), &record.child}, {ask(setup, load, proxy.port()), &proxy.child()}},
                 setup.rounds(), [&] { syncs.push_back(quantile(sync_times(setup.work / "sync.probe", 1000), 0.99)); });
  const SideFigures &ours = figures[0], &theirs = figures[1];
  const char* beside = "nginx proxy_pass";
  report.set(Row{"record.requests", "recording, scrubbed and committed", "/s", ours.per_second, theirs.per_second,
                 beside, 0.45});
  report.set(Row{"record.cpu", "recording, CPU per request", "µs", ours.cpu_us, theirs.cpu_us, beside});
  report.set(Row{"record.p99", "recording, p99", "µs", ours.p99_us, theirs.p99_us, beside});
  report.set(Row{"record.sync", "the disk's fdatasync meanwhile, p99", "µs", syncs});
  report.set(Row{"record.p99goal",
                 "recording, p99, against 2 × nginx's and 2 × fdatasync's",
                 "µs",
                 ours.p99_us,
                 {},
                 {},
                 {},
                 2 * median(theirs.p99_us) + 2 * median(syncs)});
  report.set(Row{"record.memory",
                 "recording, highest resident memory",
                 "MB",
                 {static_cast<double>(record.child.resident_peak()) / mb}});
  const double recorded = recorded_mb(cassette);
  report.set(Row{"record.finish",
                 fmt::format("finishing a recording of {:.0f} MB that repeats itself", recorded),
                 "MB/s",
                 {finish(record, cassette)},
                 {},
                 {},
                 150});
}

void measure_finish(const Setup& setup, Report& report) {
  const LoadFolder load = load_folder(setup, {setup.quick ? 20'000u : 100'000u}, true);
  const Nginx device({Nginx::Role::device, setup.work / "nginx-device", load.files()});
  double recorded = 0;
  std::vector<double> rates;
  for (int round = 0; round < setup.rounds(); ++round)
    rates.push_back(finish_distinct(setup, load, device.port(), recorded));
  report.set(Row{"finish.distinct",
                 fmt::format("finishing a recording of {:.0f} MB of distinct bodies", recorded),
                 "MB/s",
                 rates,
                 {},
                 {},
                 60});
}

}  // namespace tapedeck::bench
