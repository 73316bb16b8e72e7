#pragma once
// Stores the measured figures as JSON and prints them as tables (bench/tables.h). All figures are from one day; those
// of other days are dropped.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/machine.h"
#include "bench/row.h"

namespace tapedeck::bench {

/// A point of a growth table: throughput and memory at `x`.
struct Point {
  std::string series;  ///< "interactions", "connections", "body bytes"
  double x = 0;
  double per_second = 0, resident_mb = 0;
  std::optional<double> nginx_per_second = {}, nginx_resident_mb = {};
};

class Report {
 public:
  /// Keeps the figures of an earlier run on the same day (UTC) in `file` until they are measured again. Rows are
  /// printed in the order of `groups`, the names of all measurements.
  Report(std::filesystem::path file, std::vector<std::string> groups);

  /// Begins a measurement and removes its earlier rows.
  void begin(const std::string& group);
  void set(Row row);
  void set(Point point);
  /// Ends the measurement, with the load of other programs meanwhile.
  void end(const Neighbours& seen);
  /// Writes the JSON. Called after each measurement, so that an interrupted run keeps its figures.
  void save() const;

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<Point>& points() const { return points_; }
  [[nodiscard]] const std::string& day() const { return day_; }
  /// Returns the neighbors, sorted by measurement.
  [[nodiscard]] const std::map<std::string, Neighbours>& neighbours() const { return neighbours_; }
  /// Returns the measurements without a figure of the day.
  [[nodiscard]] std::vector<std::string> not_measured() const;
  /// Returns one sentence for each row of these measurements that missed its goal.
  [[nodiscard]] std::vector<std::string> missed(const std::vector<std::string>& groups) const;

 private:
  void read();
  [[nodiscard]] std::size_t place(const std::string& group) const;

  std::filesystem::path file_;
  std::vector<std::string> groups_;
  std::string day_;  ///< the day on which this run began
  std::string group_;
  std::vector<Row> rows_;
  std::vector<Point> points_;
  std::map<std::string, Neighbours> neighbours_;
};

}  // namespace tapedeck::bench
