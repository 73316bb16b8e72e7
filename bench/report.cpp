#include "bench/report.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>

namespace tapedeck::bench {
namespace {

using nlohmann::json;

json to_json(const Row& row) {
  json out{{"id", row.id},     {"group", row.group},         {"what", row.what},  {"unit", row.unit},
           {"ours", row.ours}, {"median", median(row.ours)}, {"best", row.best()}};
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
  row.group = from.at("group").get<std::string>();
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

std::string today() { return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))); }

std::string sentence(const Row& row) {
  const std::string typical = row.theirs.empty() ? fmt::format("{} {}", figure(row.judged()), row.unit)
                                                 : fmt::format("{} × {}", figure(row.judged()), row.beside);
  return fmt::format("{}: {}, and the goal is {}", row.what, typical, row.goal());
}

}  // namespace

Report::Report(std::filesystem::path file, std::vector<std::string> groups)
    : file_(std::move(file)), groups_(std::move(groups)), day_(today()) {
  read();
}

void Report::read() {
  std::ifstream in(file_);
  if (!in) return;
  const json earlier = json::parse(in);
  if (earlier.value("day", std::string()) != day_) return;
  for (const json& row : earlier.at("rows")) rows_.push_back(row_from(row));
  for (const json& point : earlier.at("growth")) points_.push_back(point_from(point));
  for (const auto& [group, seen] : earlier.at("neighbours").items())
    neighbours_[group] = {seen.at("others").get<double>(), seen.at("stolen").get<double>()};
}

std::size_t Report::place(const std::string& group) const {
  return static_cast<std::size_t>(std::find(groups_.begin(), groups_.end(), group) - groups_.begin());
}

void Report::begin(const std::string& group) {
  group_ = group;
  std::erase_if(rows_, [&](const Row& row) { return row.group == group; });
}

void Report::set(Row row) {
  row.group = group_;
  rows_.push_back(std::move(row));
  std::stable_sort(rows_.begin(), rows_.end(),
                   [this](const Row& a, const Row& b) { return place(a.group) < place(b.group); });
}

void Report::set(Point point) {
  std::erase_if(points_, [&](const Point& old) { return old.series == point.series && old.x == point.x; });
  points_.push_back(std::move(point));
  std::stable_sort(points_.begin(), points_.end(), [](const Point& a, const Point& b) {
    return a.series != b.series ? a.series < b.series : a.x < b.x;
  });
}

void Report::end(const Neighbours& seen) { neighbours_[group_] = seen; }

void Report::save() const {
  json out{{"day", day_}, {"rows", json::array()}, {"growth", json::array()}, {"neighbours", json::object()}};
  for (const Row& row : rows_) out["rows"].push_back(to_json(row));
  for (const Point& point : points_) out["growth"].push_back(to_json(point));
  for (const auto& [group, seen] : neighbours_)
    out["neighbours"][group] = {{"others", seen.others}, {"stolen", seen.stolen}};
  std::ofstream(file_) << out.dump(1) << '\n';
}

std::vector<std::string> Report::not_measured() const {
  std::vector<std::string> names;
  for (const std::string& group : groups_) {
    if (!neighbours_.contains(group)) names.push_back(group);
  }
  return names;
}

std::vector<std::string> Report::missed(const std::vector<std::string>& groups) const {
  std::vector<std::string> sentences;
  for (const Row& row : rows_) {
    const bool asked = std::find(groups.begin(), groups.end(), row.group) != groups.end();
    if (asked && row.met() == false) sentences.push_back(sentence(row));
  }
  return sentences;
}

}  // namespace tapedeck::bench
