// Requests/s, CPU per request and latency under wrk: replay beside nginx, recording beside its proxy_pass.

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "bench/rounds.h"
#include "bench/setup.h"

namespace tapedeck::bench {
namespace {

constexpr double mb = 1e6;

WrkOptions ask(const Setup& setup, const LoadFolder& load, const std::string& url) {
  WrkOptions wrk;
  wrk.url = url;
  wrk.plan = load.lua();
  wrk.seconds = setup.seconds();
  return wrk;
}

std::string url_of(const Nginx& nginx, const char* scheme = "http") {
  return fmt::format("{}://127.0.0.1:{}", scheme, nginx.port());
}

WrkOptions ask_files(const Setup& setup, const LoadFolder& load, const std::string& url) {
  WrkOptions wrk = ask(setup, load, url);
  wrk.files = true;
  return wrk;
}

/// Into the kernel's page cache, where the other side's files are as well: the disk is not what is measured.
void read_once(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> buffer(1u << 20);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()))) {
  }
}

/// A hundred overlays none of which is for a call of the load: half of them name another API, the others any API in a
/// version that nobody asks for.
std::string write_overlays(const Setup& setup) {
  const std::filesystem::path path = setup.work / "overlays.toml";
  std::ofstream file(path, std::ios::trunc);
  for (int i = 0; i < 50; ++i) {
    file << fmt::format("[[overlay]]\ncall = \"Core.Absent{}/1/list\"\nerror = 117\n", i)
         << fmt::format("[[overlay]]\nname = \"wide {}\"\ncall = \"Core.*/99/*\"\nstatus = 500\n", i);
  }
  return path.string();
}

void measure_overlays(const Setup& setup, const LoadFolder& load, const Server& plain, Report& report) {
  const Server overlaid = start_replay(setup, load.cassette(), {}, {"--overlay", write_overlays(setup)});
  check_same_bodies(load, overlaid.port, {});
  const auto figures =
      run_rounds({{ask(setup, load, overlaid.url()), &overlaid.child}, {ask(setup, load, plain.url()), &plain.child}},
                 setup.rounds());
  report.set(Row{"replay.overlays", "replay, 100 overlays that do not fit", "/s", figures[0].per_second,
                 figures[1].per_second, "no overlays", 0.8});
}

}  // namespace

void measure_replay(const Setup& setup, Report& report) {
  const LoadFolder load = load_folder(setup, {}, true);
  const Nginx nginx({Nginx::Role::files, setup.work / "nginx", load.files()});
  const Server replay = start_replay(setup, load.cassette());
  check_same_bodies(load, replay.port, nginx.port());
  WrkOptions with_sessions = ask(setup, load, replay.url());
  with_sessions.sessions = 8;
  const auto figures = run_rounds({{ask(setup, load, replay.url()), &replay.child},
                                   {ask_files(setup, load, url_of(nginx)), &nginx.child()},
                                   {with_sessions, &replay.child}},
                                  setup.rounds());
  const SideFigures &ours = figures[0], &theirs = figures[1];
  report.set(
      Row{"replay.requests", "replay, 288 calls in turn", "/s", ours.per_second, theirs.per_second, "nginx", 0.95});
  report.set(Row{"replay.cpu", "replay, CPU per request", "µs", ours.cpu_us, theirs.cpu_us, "nginx", {}, 1.05});
  report.set(Row{"replay.p50", "replay, p50", "µs", ours.p50_us, theirs.p50_us, "nginx"});
  report.set(Row{"replay.p99", "replay, p99", "µs", ours.p99_us, theirs.p99_us, "nginx", {}, 1.5});
  report.set(Row{"replay.sessions", "replay, calls with 8 session ids", "/s", figures[2].per_second, theirs.per_second,
                 "nginx"});
  report.set(Row{"replay.memory",
                 "replay, resident memory, 288 interactions",
                 "MB",
                 {static_cast<double>(replay.child.resident()) / mb},
                 {},
                 {},
                 {},
                 16});
  measure_overlays(setup, load, replay, report);
}

void measure_tls(const Setup& setup, Report& report) {
  const LoadFolder load = load_folder(setup, {}, true);
  const http::ServerTls tls = http::self_signed((setup.work / "tls").string(), "localhost");
  const Nginx nginx({Nginx::Role::files, setup.work / "nginx-tls", load.files(), 0, tls});
  const Server replay = start_replay(setup, load.cassette(), tls);
  const auto figures = run_rounds({{ask(setup, load, replay.url()), &replay.child},
                                   {ask_files(setup, load, url_of(nginx, "https")), &nginx.child()}},
                                  setup.rounds());
  const SideFigures &ours = figures[0], &theirs = figures[1];
  report.set(Row{"tls.requests", "replay over TLS", "/s", ours.per_second, theirs.per_second, "nginx", 0.9});
  report.set(Row{"tls.cpu", "replay over TLS, CPU per request", "µs", ours.cpu_us, theirs.cpu_us, "nginx"});
  report.set(Row{"tls.p99", "replay over TLS, p99", "µs", ours.p99_us, theirs.p99_us, "nginx"});
}

void measure_million(const Setup& setup, Report& report) {
  const LoadFolder small = load_folder(setup, {}, true);
  const LoadFolder big = load_folder(setup, {setup.many()}, false);
  read_once(big.cassette());
  const Server small_replay = start_replay(setup, small.cassette());
  const Server big_replay = start_replay(setup, big.cassette());
  check_same_bodies(big, big_replay.port, {});
  WrkOptions random = ask(setup, big, big_replay.url());
  random.random = true;
  const auto figures = run_rounds(
      {{random, &big_replay.child}, {ask(setup, small, small_replay.url()), &small_replay.child}}, setup.rounds());
  const std::string count = fmt::format("{} interactions", big.plan.count);
  report.set(Row{"million.requests", "replay, " + count + " at random", "/s", figures[0].per_second,
                 figures[1].per_second, "288 in turn", 0.4});
  report.set(Row{"million.cpu", "replay, " + count + " at random, CPU per request", "µs", figures[0].cpu_us,
                 figures[1].cpu_us, "288 in turn"});
  report.set(Row{"million.p99", "replay, " + count + " at random, p99", "µs", figures[0].p99_us, figures[1].p99_us,
                 "288 in turn"});
  report.set(Row{"million.memory",
                 "replay, resident memory, " + count,
                 "MB",
                 {static_cast<double>(big_replay.child.resident()) / mb},
                 {},
                 {},
                 {},
                 64});
}

void measure_record(const Setup& setup, Report& report) {
  const LoadFolder load = load_folder(setup, {}, true);
  const Nginx device({Nginx::Role::device, setup.work / "nginx-device", load.files()});
  const Nginx proxy({Nginx::Role::proxy, setup.work / "nginx-proxy", {}, device.port()});
  const std::filesystem::path cassette = setup.work / "recorded.cassette";
  for (const char* side : {"", "-wal", "-shm", "-journal"}) std::filesystem::remove(cassette.string() + side);
  Server record = start_record(setup, cassette, device.port());
  check_same_bodies(load, record.port, {});
  check_same_bodies(load, proxy.port(), {});
  const auto figures =
      run_rounds({{ask(setup, load, record.url()), &record.child}, {ask(setup, load, url_of(proxy)), &proxy.child()}},
                 setup.rounds());
  const SideFigures &ours = figures[0], &theirs = figures[1];
  report.set(Row{"record.requests", "recording, scrubbed and committed", "/s", ours.per_second, theirs.per_second,
                 "nginx proxy_pass", 0.4});
  report.set(Row{"record.cpu", "recording, CPU per request", "µs", ours.cpu_us, theirs.cpu_us, "nginx proxy_pass"});
  report.set(Row{"record.p99", "recording, p99", "µs", ours.p99_us, theirs.p99_us, "nginx proxy_pass"});
  report.set(Row{"record.memory",
                 "recording, highest resident memory",
                 "MB",
                 {static_cast<double>(record.child.resident_peak()) / mb}});
  const auto file_size = [&](const std::string& path) {
    std::error_code none;
    const std::uintmax_t size = std::filesystem::file_size(path, none);
    return none ? 0.0 : static_cast<double>(size);
  };
  const double recorded = file_size(cassette.string()) + file_size(cassette.string() + "-wal");
  const auto start = std::chrono::steady_clock::now();
  const int status = record.child.stop();
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (status != 0) throw std::runtime_error(fmt::format("record ended with {}; see its log", status));
  report.set(Row{"record.finish",
                 fmt::format("finishing a recording of {:.0f} MB", recorded / mb),
                 "MB/s",
                 {recorded / mb / seconds},
                 {},
                 {},
                 50});
}

void measure_size(const Setup& setup, Report& report) {
  for (const std::uint64_t count : {std::uint64_t{288}, setup.many()}) {
    const LoadFolder load = load_folder(setup, {count}, count == 288);
    report.set(Row{fmt::format("size.{}", count == 288 ? "small" : "big"),
                   fmt::format("cassette of {} interactions", count),
                   "MB",
                   {static_cast<double>(std::filesystem::file_size(load.cassette())) / mb},
                   {static_cast<double>(load.body_bytes) / mb},
                   "raw bodies",
                   {},
                   0.6});
  }
}

}  // namespace tapedeck::bench
