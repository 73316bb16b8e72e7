// Measures replay under wrk beside nginx with the same bodies as static files, for the calls of a plan.

#include <fmt/format.h>

#include "bench/disk.h"
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

WrkOptions ask_files(const Setup& setup, const LoadFolder& load, const Nginx& nginx, const char* scheme = "http") {
  WrkOptions wrk = ask(setup, load, fmt::format("{}://127.0.0.1:{}", scheme, nginx.port()));
  wrk.kind = WrkOptions::Kind::files;
  return wrk;
}

WrkOptions at_random(WrkOptions wrk) {
  wrk.order = WrkOptions::Order::random;
  return wrk;
}

Row memory_row(const char* id, std::uint64_t count, const Server& replay, double at_most) {
  return {id,   fmt::format("replay, resident memory, {} interactions", count),
          "MB", {static_cast<double>(replay.child.resident()) / mb},
          {},   {},
          {},   at_most};
}

}  // namespace

void measure_replay(const Setup& setup, Report& report) {
  const LoadFolder load = load_folder(setup, {}, true);
  const Nginx nginx({Nginx::Role::files, setup.work / "nginx", load.files()});
  const Server replay = start_replay(setup, {load.cassette()});
  check_same_bodies(load, replay.port, nginx.port());
  const auto figures =
      run_rounds({{ask(setup, load, replay.url()), &replay.child}, {ask_files(setup, load, nginx), &nginx.child()}},
                 setup.rounds());
  const SideFigures &ours = figures[0], &theirs = figures[1];
  report.set(
      Row{"replay.requests", "replay, 288 calls in turn", "/s", ours.per_second, theirs.per_second, "nginx", 1.05});
  report.set(Row{"replay.cpu", "replay, CPU per request", "µs", ours.cpu_us, theirs.cpu_us, "nginx", {}, 0.95});
  report.set(Row{"replay.p50", "replay, p50", "µs", ours.p50_us, theirs.p50_us, "nginx"});
  report.set(Row{"replay.p99", "replay, p99", "µs", ours.p99_us, theirs.p99_us, "nginx", {}, 1.5});
  report.set(memory_row("replay.memory", load.plan.count, replay, 20));
}

void measure_threads(const Setup& setup, Report& report) {
  const LoadFolder load = load_folder(setup, {}, true);
  const Server one = start_replay(setup, {load.cassette()});
  const Server two = start_replay(setup, {load.cassette()}, {}, {"--threads", "2"});
  check_same_bodies(load, two.port, {});
  const auto figures = run_rounds(
      {{ask(setup, load, two.url()), &two.child}, {ask(setup, load, one.url()), &one.child}}, setup.rounds());
  report.set(Row{"threads.requests", "replay with two threads", "/s", figures[0].per_second, figures[1].per_second,
                 "one thread"});
  report.set(Row{"threads.cpu",
                 "replay with two threads, CPU per request",
                 "µs",
                 figures[0].cpu_us,
                 figures[1].cpu_us,
                 "one thread",
                 {},
                 1.05});
}

void measure_tls(const Setup& setup, Report& report) {
  const LoadFolder load = load_folder(setup, {}, true);
  const http::ServerTls tls = http::self_signed((setup.work / "tls").string(), "localhost");
  const Nginx nginx({Nginx::Role::files, setup.work / "nginx-tls", load.files(), 0, tls});
  const Server replay = start_replay(setup, {load.cassette()}, tls);
  const auto figures = run_rounds(
      {{ask(setup, load, replay.url()), &replay.child}, {ask_files(setup, load, nginx, "https"), &nginx.child()}},
      setup.rounds());
  const SideFigures &ours = figures[0], &theirs = figures[1];
  report.set(Row{"tls.requests", "replay over TLS", "/s", ours.per_second, theirs.per_second, "nginx", 0.9});
  report.set(Row{"tls.cpu", "replay over TLS, CPU per request", "µs", ours.cpu_us, theirs.cpu_us, "nginx"});
  report.set(Row{"tls.p99", "replay over TLS, p99", "µs", ours.p99_us, theirs.p99_us, "nginx"});
}

void measure_million(const Setup& setup, Report& report) {
  const LoadFolder load = load_folder(setup, {setup.many()}, true);
  const Nginx keeping({Nginx::Role::files, setup.work / "nginx-keeping", load.files()});
  const Nginx opening({Nginx::Role::files, setup.work / "nginx", load.files(), 0, {}, false, false});
  const Server replay = start_replay(setup, {load.cassette()});
  check_same_bodies(load, replay.port, opening.port());
  read_once(load.cassette());
  // Requests each file once, so that it is in the kernel's cache, and open as far as nginx keeps files open.
  WrkOptions each = ask_files(setup, load, keeping);
  each.order = WrkOptions::Order::once;
  each.seconds = 300;
  static_cast<void>(run_wrk(each));
  const auto figures = run_rounds({{at_random(ask(setup, load, replay.url())), &replay.child},
                                   {at_random(ask_files(setup, load, keeping)), &keeping.child()},
                                   {at_random(ask_files(setup, load, opening)), &opening.child()}},
                                  setup.rounds());
  const bool keeps = median(figures[1].per_second) >= median(figures[2].per_second);
  const SideFigures &ours = figures[0], &theirs = figures[keeps ? 1 : 2];
  const std::string beside = keeps ? "nginx, open_file_cache" : "nginx, no open_file_cache";
  const std::string what = fmt::format("replay, {} interactions at random", load.plan.count);
  report.set(Row{"million.requests", what, "/s", ours.per_second, theirs.per_second, beside, 0.75});
  report.set(Row{"million.cpu", what + ", CPU per request", "µs", ours.cpu_us, theirs.cpu_us, beside});
  report.set(Row{"million.p99", what + ", p99", "µs", ours.p99_us, theirs.p99_us, beside});
  report.set(Row{"million.other", "the same files, the other way", "/s", figures[keeps ? 2 : 1].per_second,
                 theirs.per_second, beside});
  report.set(memory_row("million.memory", load.plan.count, replay, 48));
}

void measure_ten_million(const Setup& setup, Report& report) {
  LoadPlan plan;
  plan.count = 10 * setup.many();
  plan.exact_bytes = 300;
  const LoadFolder load = load_folder(setup, plan, false);
  read_once(load.cassette());
  const Server replay = start_replay(setup, {load.cassette()});
  check_same_bodies(load, replay.port, {});
  const auto figures = run_rounds({{at_random(ask(setup, load, replay.url())), &replay.child}}, setup.rounds());
  const std::string what = fmt::format("replay, {} interactions of 300 bytes at random", plan.count);
  report.set(Row{"ten-million.requests", what, "/s", figures[0].per_second});
  report.set(Row{"ten-million.cpu", what + ", CPU per request", "µs", figures[0].cpu_us});
  report.set(memory_row("ten-million.memory", plan.count, replay, 64));
  report.set(start_row(setup, load, "ten-million.start"));
}

void measure_size(const Setup& setup, Report& report) {
  for (const std::uint64_t count : {std::uint64_t{288}, setup.many()}) {
    const LoadFolder load = load_folder(setup, {count}, count == 288);
    report.set(Row{fmt::format("size.{}", count == 288 ? "small" : "big"),
                   fmt::format("cassette of {} interactions", count),
                   "MB",
                   {size_of(load.cassette()) / mb},
                   {static_cast<double>(load.body_bytes) / mb},
                   "raw bodies"});
  }
}

}  // namespace tapedeck::bench
