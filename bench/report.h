#pragma once
// What was measured: kept as JSON, shown as one table.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tapedeck::bench {

[[nodiscard]] double median(std::vector<double> values);

/// One line of the table. With `theirs`, what is judged is the ratio of the medians; without, our median itself.
struct Row {
  std::string id;    ///< "replay.requests"
  std::string what;  ///< in words
  std::string unit;  ///< of the values
  std::vector<double> ours;
  std::vector<double> theirs = {};  ///< measured in turn with `ours`
  std::string beside = {};          ///< what `theirs` is: "nginx"
  std::optional<double> at_least = {};
  std::optional<double> at_most = {};

  [[nodiscard]] double judged() const;
  /// Nothing when the row has no goal.
  [[nodiscard]] std::optional<bool> met() const;
};

/// One point of a growth table: throughput and memory at `x`.
struct Point {
  std::string series;  ///< "interactions", "connections", "body bytes"
  double x = 0;
  double per_second = 0, resident_mb = 0;
  std::optional<double> nginx_per_second = {}, nginx_resident_mb = {};
};

class Report {
 public:
  /// What an earlier run left in `file` is kept until it is measured again.
  explicit Report(std::filesystem::path file);

  void set(Row row);
  void set(Point point);
  [[nodiscard]] const std::vector<Point>& points() const { return points_; }
  /// Writes the JSON; called after each measurement, so that an interrupted run keeps what it has.
  void save() const;
  [[nodiscard]] std::string table() const;
  /// The same as Markdown, growth tables included, for docs/performance.md.
  [[nodiscard]] std::string markdown() const;

 private:
  std::filesystem::path file_;
  double load_before_ = 0;  ///< how busy the machine was with other things
  std::vector<Row> rows_;
  std::vector<Point> points_;
};

}  // namespace tapedeck::bench
