#include "bench/report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tapedeck::bench {
namespace {

using nlohmann::json;

json to_json(const Row& row) {
  json out{{"id", row.id}, {"what", row.what}, {"unit", row.unit}, {"ours", row.ours}, {"median", median(row.ours)}};
  if (!row.theirs.empty()) {
    out["theirs"] = row.theirs;
    out["theirs_median"] = median(row.theirs);
    out["beside"] = row.beside;
    out["ratio"] = row.judged();
  }
  if (row.at_least) out["at_least"] = *row.at_least;
  if (row.at_most) out["at_most"] = *row.at_most;
  if (row.met()) out["met"] = *row.met();
  return out;
}

std::optional<double> optional_number(const json& from, const char* name) {
  const auto found = from.find(name);
  return found == from.end() ? std::nullopt : std::optional(found->get<double>());
}

Row row_from(const json& from) {
  Row row{from.at("id").get<std::string>(), from.at("what").get<std::string>(), from.at("unit").get<std::string>(),
          from.at("ours").get<std::vector<double>>()};
  row.theirs = from.value("theirs", std::vector<double>());
  row.beside = from.value("beside", std::string());
  row.at_least = optional_number(from, "at_least");
  row.at_most = optional_number(from, "at_most");
  return row;
}

json to_json(const Point& point) {
  json out{
      {"series", point.series}, {"x", point.x}, {"per_second", point.per_second}, {"resident_mb", point.resident_mb}};
  if (point.nginx_per_second) out["nginx_per_second"] = *point.nginx_per_second;
  if (point.nginx_resident_mb) out["nginx_resident_mb"] = *point.nginx_resident_mb;
  return out;
}

Point point_from(const json& from) {
  return {from.at("series").get<std::string>(),      from.at("x").get<double>(),
          from.at("per_second").get<double>(),       from.at("resident_mb").get<double>(),
          optional_number(from, "nginx_per_second"), optional_number(from, "nginx_resident_mb")};
}

/// Three figures, or all before the point.
std::string figure(double value) {
  if (std::abs(value) >= 100) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, std::abs(value) >= 10 ? 1 : 2);
}

std::string goal_of(const Row& row) {
  const std::string times = row.theirs.empty() ? "" : " ×";
  if (row.at_least) return "≥ " + figure(*row.at_least) + times;
  if (row.at_most) return "≤ " + figure(*row.at_most) + times;
  return "";
}

std::string met_of(const Row& row) { return !row.met() ? "" : *row.met() ? "yes" : "MISSED"; }

std::vector<std::string> cells(const Row& row) {
  const bool pair = !row.theirs.empty();
  return {row.what,
          fmt::format("{} {}", figure(median(row.ours)), row.unit),
          pair ? fmt::format("{} {} ({})", figure(median(row.theirs)), row.unit, row.beside) : "",
          pair ? figure(row.judged()) + " ×" : "",
          goal_of(row),
          met_of(row)};
}

/// Columns as they are seen: bytes that continue a UTF-8 character take none.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char byte) { return (static_cast<unsigned char>(byte) & 0xc0) != 0x80; }));
}

std::string markdown_line(const std::vector<std::string>& line) {
  return fmt::format("| {} |\n", fmt::join(line, " | "));
}

std::string optional_figure(const std::optional<double>& value) { return value ? figure(*value) : "–"; }

/// "2 × Some CPU, Linux 6.1.0": what the figures depend on most.
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

const std::vector<std::string> heading{"what", "tapedeck", "beside", "ratio", "goal", "met"};

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double Row::judged() const {
  if (theirs.empty()) return median(ours);
  const double other = median(theirs);
  return other > 0 ? median(ours) / other : 0;
}

std::optional<bool> Row::met() const {
  if (at_least) return judged() >= *at_least;
  if (at_most) return judged() <= *at_most;
  return std::nullopt;
}

Report::Report(std::filesystem::path file) : file_(std::move(file)) {
  getloadavg(&load_before_, 1);
  std::ifstream in(file_);
  if (!in) return;
  const json earlier = json::parse(in);
  for (const json& row : earlier.at("rows")) rows_.push_back(row_from(row));
  for (const json& point : earlier.at("growth")) points_.push_back(point_from(point));
}

void Report::set(Row row) {
  const auto same = std::find_if(rows_.begin(), rows_.end(), [&](const Row& old) { return old.id == row.id; });
  if (same == rows_.end()) {
    rows_.push_back(std::move(row));
  } else {
    *same = std::move(row);
  }
}

void Report::set(Point point) {
  std::erase_if(points_, [&](const Point& old) { return old.series == point.series && old.x == point.x; });
  points_.push_back(std::move(point));
  std::stable_sort(points_.begin(), points_.end(), [](const Point& a, const Point& b) {
    return a.series != b.series ? a.series < b.series : a.x < b.x;
  });
}

void Report::save() const {
  json out{{"written", fmt::format("{:%Y-%m-%d %H:%M:%S}Z", fmt::gmtime(std::time(nullptr)))},
           {"rows", json::array()},
           {"growth", json::array()}};
  for (const Row& row : rows_) out["rows"].push_back(to_json(row));
  for (const Point& point : points_) out["growth"].push_back(to_json(point));
  std::ofstream(file_) << out.dump(1) << '\n';
}

std::string Report::table() const {
  std::vector<std::vector<std::string>> lines{heading};
  for (const Row& row : rows_) lines.push_back(cells(row));
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

std::string Report::markdown() const {
  std::string out = fmt::format("Measured on {:%Y-%m-%d}: {}; load average {:.1f} when the last run began.\n\n",
                                fmt::gmtime(std::time(nullptr)), machine(), load_before_);
  out += markdown_line(heading) + "|---|---|---|---|---|---|\n";
  for (const Row& row : rows_) out += markdown_line(cells(row));
  std::string series;
  for (const Point& point : points_) {
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

}  // namespace tapedeck::bench
