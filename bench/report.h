#pragma once
// What was measured: kept as JSON, shown as tables (bench/tables.h). All of it is of one day: what an earlier run left
// of another day is dropped.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/machine.h"
#include "bench/row.h"

namespace tapedeck::bench {

/// One point of a growth table: throughput and memory at `x`.
struct Point {
  std::string series;  ///< "interactions", "connections", "body bytes"
  double x = 0;
  double per_second = 0, resident_mb = 0;
  std::optional<double> nginx_per_second = {}, nginx_resident_mb = {};
};

class Report {
 public:
  /// What an earlier run left in `file` on the same day (UTC) is kept until it is measured again. Rows are shown in the
  /// order of `groups`, the names of all measurements.
  Report(std::filesystem::path file, std::vector<std::string> groups);

  /// What is set from now on is of that measurement; its earlier rows go.
  void begin(const std::string& group);
  void set(Row row);
  void set(Point point);
  /// The measurement is over, and that was the load of others meanwhile.
  void end(const Neighbours& seen);
  /// Writes the JSON; called after each measurement, so that an interrupted run keeps what it has.
  void save() const;

  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
  [[nodiscard]] const std::vector<Point>& points() const { return points_; }
  [[nodiscard]] const std::string& day() const { return day_; }
  /// By measurement.
  [[nodiscard]] const std::map<std::string, Neighbours>& neighbours() const { return neighbours_; }
  /// Measurements without a figure of that day.
  [[nodiscard]] std::vector<std::string> not_measured() const;
  /// One sentence for each row of these measurements whose goal was missed.
  [[nodiscard]] std::vector<std::string> missed(const std::vector<std::string>& groups) const;

 private:
  void read();
  [[nodiscard]] std::size_t place(const std::string& group) const;

  std::filesystem::path file_;
  std::vector<std::string> groups_;
  std::string day_;  ///< on which this run began
  std::string group_;
  std::vector<Row> rows_;
  std::vector<Point> points_;
  std::map<std::string, Neighbours> neighbours_;
};

}  // namespace tapedeck::bench
