// Measures how throughput and memory depend on the size of the cassette, the number of connections, and the size of the
// bodies.

#include <fmt/format.h>

#include "bench/rounds.h"
#include "bench/setup.h"

namespace tapedeck::bench {
namespace {

constexpr std::uint64_t most_files = 100'000;  // above this, static files only measure the file system

struct Scale {
  std::string series;
  double x = 0;
  LoadPlan plan;
  int connections = 32;
  bool random = true;
};

double megabytes(const Child& child) { return static_cast<double>(child.resident()) / 1e6; }

WrkOptions ask(const Setup& setup, const LoadFolder& load, const Scale& scale, std::uint16_t port, bool files) {
  WrkOptions wrk;
  wrk.url = fmt::format("http://127.0.0.1:{}", port);
  wrk.plan = load.lua();
  if (files) wrk.kind = WrkOptions::Kind::files;
  if (scale.random) wrk.order = WrkOptions::Order::random;
  wrk.connections = scale.connections;
  wrk.seconds = setup.quick ? 1 : 2;
  return wrk;
}

Point measure(const Setup& setup, const Scale& scale) {
  const bool files = scale.plan.count <= most_files;
  const LoadFolder load = load_folder(setup, scale.plan, files);
  const Server replay = start_replay(setup, {load.cassette()});
  std::vector<Side> sides{{ask(setup, load, scale, replay.port, false), &replay.child}};
  std::optional<Nginx> nginx;
  if (files) {
    nginx.emplace(Nginx::Options{
        Nginx::Role::files, setup.work / "nginx", load.files(), 0, {}, scale.plan.exact_bytes >= 100'000});
    sides.push_back({ask(setup, load, scale, nginx->port(), true), &nginx->child()});
  }
  const auto figures = run_rounds(sides, 3);
  Point point{scale.series, scale.x, median(figures[0].per_second), megabytes(replay.child)};
  if (nginx) {
    point.nginx_per_second = median(figures[1].per_second);
    point.nginx_resident_mb = megabytes(nginx->child());
  }
  return point;
}

std::vector<Scale> scales(const Setup& setup) {
  std::vector<Scale> all;
  for (std::uint64_t count = 100; count <= setup.many(); count *= 10)
    all.push_back({"interactions", static_cast<double>(count), {count}});
  for (const int connections : {1, 10, 100, 1000})
    all.push_back({"connections", static_cast<double>(connections), {}, connections, false});
  for (const std::size_t bytes : {100u, 1'000u, 10'000u, 100'000u, 1'000'000u, 10'000'000u}) {
    LoadPlan plan;
    plan.count = bytes >= 1'000'000 ? 6 : 48;
    plan.exact_bytes = bytes;
    all.push_back({"body bytes", static_cast<double>(bytes), plan, 32, false});
  }
  return all;
}

}  // namespace

void measure_growth(const Setup& setup, Report& report) {
  for (const Scale& scale : scales(setup)) {
    const Point point = measure(setup, scale);
    fmt::print("growth: {} {:.0f}: {:.0f}/s beside {:.0f}/s\n", point.series, point.x, point.per_second,
               point.nginx_per_second.value_or(0));
    report.set(point);
    report.save();
  }
}

}  // namespace tapedeck::bench
