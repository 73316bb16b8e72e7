#include "bench/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace tapedeck::bench {
namespace {

const std::vector<std::string> heading{"what", "tapedeck", "beside", "typical", "best round", "goal", "met"};

std::string met_of(const Row& row) { return !row.met() ? "" : *row.met() ? "yes" : "MISSED"; }

std::vector<std::string> cells(const Row& row) {
  const bool pair = !row.theirs.empty();
  return {row.what,
          fmt::format("{} {}", figure(median(row.ours)), row.unit),
          pair ? fmt::format("{} {} ({})", figure(median(row.theirs)), row.unit, row.beside) : "",
          pair ? figure(row.judged()) + " ×" : "",
          row.ours.size() < 2 ? "" : figure(row.best()) + (pair ? " ×" : " " + row.unit),
          row.goal(),
          met_of(row)};
}

/// Returns the number of displayed columns. Continuation bytes of UTF-8 characters take none.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }));
}

std::string markdown_line(const std::vector<std::string>& line) {
  return fmt::format("| {} |\n", fmt::join(line, " | "));
}

std::string optional_figure(const std::optional<double>& value) { return value ? figure(*value) : "–"; }

/// Returns a text such as "0.4 to 3.1 % (typically 0.9)".
std::string span(std::vector<double> shares) {
  const auto [least, most] = std::minmax_element(shares.begin(), shares.end());
  return fmt::format("{:.1f} to {:.1f} % (typically {:.1f})", 100 * *least, 100 * *most, 100 * median(shares));
}

std::string preface(const Report& report) {
  std::string out = fmt::format("Measured on {}: {}.", report.day(), machine());
  std::vector<double> others, stolen;
  for (const auto& [group, seen] : report.neighbours()) {
    others.push_back(seen.others);
    stolen.push_back(seen.stolen);
  }
  if (!others.empty()) {
    out += fmt::format(
        "\nFrom measurement to measurement, programs that are no part of it took {} of the processors, and "
        "the\nhypervisor {}.",
        span(others), span(stolen));
  }
  const std::vector<std::string> missing = report.not_measured();
  if (!missing.empty())
    out +=
        fmt::format("\n**Not measured on that day, and therefore not in the tables:** {}.", fmt::join(missing, ", "));
  return out + "\n\n";
}

std::string growth_tables(const std::vector<Point>& points) {
  std::string out, series;
  for (const Point& point : points) {
    if (point.series != series) {
      series = point.series;
      out += fmt::format("\n| {} | requests/s | nginx | ratio | resident MB | nginx |\n|---|---|---|---|---|---|\n",
                         series);
    }
    const std::optional<double> ratio =
        point.nginx_per_second ? std::optional(point.per_second / *point.nginx_per_second) : std::nullopt;
    out += markdown_line({fmt::format("{:.0f}", point.x), figure(point.per_second),
                          optional_figure(point.nginx_per_second), optional_figure(ratio), figure(point.resident_mb),
                          optional_figure(point.nginx_resident_mb)});
  }
  return out;
}

}  // namespace

std::string plain_table(const Report& report) {
  std::vector<std::vector<std::string>> lines{heading};
  for (const Row& row : report.rows()) lines.push_back(cells(row));
  std::vector<std::size_t> widths(heading.size(), 0);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width(line[i]));
  }
  std::string out;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) out += line[i] + std::string(widths[i] - width(line[i]) + 2, ' ');
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

std::string markdown_tables(const Report& report) {
  std::string out = preface(report) + markdown_line(heading) + "|---|---|---|---|---|---|---|\n";
  for (const Row& row : report.rows()) out += markdown_line(cells(row));
  return out + growth_tables(report.points());
}

}  // namespace tapedeck::bench
