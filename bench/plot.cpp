// bench_plot: bench.json's growth points as one SVG of three panels, logarithmic both ways.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <vector>

#include "bench/report.h"

namespace tapedeck::bench {
namespace {

constexpr double panel_width = 300, panel_height = 220, left = 62, top = 40, gap = 78;

struct Dot {
  double x = 0, y = 0;
};

/// Whole powers of ten around the values.
struct Axis {
  double low = 0, high = 1;
  explicit Axis(const std::vector<double>& values) {
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    low = std::floor(std::log10(*least));
    high = std::max(low + 1, std::ceil(std::log10(*most)));
  }
  [[nodiscard]] double place(double value) const { return (std::log10(value) - low) / (high - low); }
};

std::string power(double exponent) {
  static constexpr const char* names[] = {"1", "10", "100", "1k", "10k", "100k", "1M", "10M"};
  const auto index = static_cast<std::size_t>(std::max(0.0, exponent));
  return exponent >= 0 && index < std::size(names) ? names[index] : fmt::format("1e{:.0f}", exponent);
}

class Panel {
 public:
  Panel(std::string title, std::vector<Dot> ours, std::vector<Dot> theirs, double offset)
      : title_(std::move(title)),
        ours_(std::move(ours)),
        theirs_(std::move(theirs)),
        offset_(offset),
        horizontal_(values(&Dot::x)),
        vertical_(values(&Dot::y)) {}

  [[nodiscard]] std::string svg() const {
    std::string out =
        fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\" class=\"title\">requests/s by {}</text>\n",
                    offset_ + panel_width / 2, top - 14, title_);
    for (double e = horizontal_.low; e <= horizontal_.high; ++e) {
      const double x = offset_ + (e - horizontal_.low) / (horizontal_.high - horizontal_.low) * panel_width;
      out += line(x, top, x, top + panel_height);
      out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", x,
                         top + panel_height + 16, power(e));
    }
    for (double e = vertical_.low; e <= vertical_.high; ++e) {
      const double y = top + (1 - (e - vertical_.low) / (vertical_.high - vertical_.low)) * panel_height;
      out += line(offset_, y, offset_ + panel_width, y);
      out +=
          fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n", offset_ - 6, y + 4, power(e));
    }
    return out + curve(theirs_, "nginx") + curve(ours_, "tapedeck");
  }

 private:
  [[nodiscard]] std::vector<double> values(double Dot::*member) const {
    std::vector<double> out;
    for (const auto* dots : {&ours_, &theirs_}) {
      for (const Dot& dot : *dots) out.push_back(dot.*member);
    }
    return out;
  }
  static std::string line(double x1, double y1, double x2, double y2) {
    return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"grid\"/>\n", x1, y1, x2,
                       y2);
  }
  [[nodiscard]] std::string curve(const std::vector<Dot>& dots, const char* name) const {
    std::string points, circles;
    for (const Dot& dot : dots) {
      const double x = offset_ + horizontal_.place(dot.x) * panel_width;
      const double y = top + (1 - vertical_.place(dot.y)) * panel_height;
      points += fmt::format("{:.1f},{:.1f} ", x, y);
      circles += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" class=\"{}\"/>\n", x, y, name);
    }
    return fmt::format("<polyline points=\"{}\" class=\"{} curve\"/>\n{}", points, name, circles);
  }

  std::string title_;
  std::vector<Dot> ours_, theirs_;
  double offset_;
  Axis horizontal_, vertical_;
};

std::string plot(const std::vector<Point>& points) {
  std::string panels;
  double offset = left;
  for (const char* series : {"interactions", "connections", "body bytes"}) {
    std::vector<Dot> ours, theirs;
    for (const Point& point : points) {
      if (point.series != series) continue;
      ours.push_back({point.x, point.per_second});
      if (point.nginx_per_second) theirs.push_back({point.x, *point.nginx_per_second});
    }
    if (ours.empty()) continue;
    panels += Panel(series, ours, theirs, offset).svg();
    offset += panel_width + gap;
  }
  const double width = offset - gap + 30, height = top + panel_height + 60;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<style>.grid{{stroke:#ddd}} .title{{font-size:14px}} .curve{{fill:none;stroke-width:2}} "
      "polyline.tapedeck{{stroke:#1f77b4}} circle.tapedeck{{fill:#1f77b4}} polyline.nginx{{stroke:#d95f02;"
      "stroke-dasharray:5 3}} circle.nginx{{fill:#d95f02}}</style>\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "fill=\"#fff\"/>\n{2}<text x=\"{3:.0f}\" y=\"{4:.0f}\" fill=\"#1f77b4\">● tapedeck replay</text>\n"
      "<text x=\"{5:.0f}\" y=\"{4:.0f}\" fill=\"#d95f02\">● nginx, static files</text>\n</svg>\n",
      width, height, panels, left, height - 14, left + 150);
}

}  // namespace
}  // namespace tapedeck::bench

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: bench_plot BENCH.json OUT.svg\n");
    return 2;
  }
  const tapedeck::bench::Report report(argv[1], {});
  if (report.points().empty()) {
    fmt::print(stderr, "bench_plot: {} has no growth points of today; run script/bench --only growth\n", argv[1]);
    return 1;
  }
  std::ofstream(argv[2]) << tapedeck::bench::plot(report.points());
  return 0;
}
