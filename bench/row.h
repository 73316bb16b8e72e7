#pragma once
// Represents one figure of the table: the values of all rounds, the comparison, and the goal.

#include <optional>
#include <string>
#include <vector>

namespace tapedeck::bench {

[[nodiscard]] double median(std::vector<double> values);

/// One line of the table. With `theirs`, the ratio of the medians is judged; otherwise our median.
struct Row {
  std::string id;    ///< "replay.requests"
  std::string what;  ///< its description
  std::string unit;  ///< unit of the values
  std::vector<double> ours;
  std::vector<double> theirs = {};  ///< measured in turn with `ours`
  std::string beside = {};          ///< name of the other side: "nginx"
  std::optional<double> at_least = {};
  std::optional<double> at_most = {};
  std::string group = {};  ///< its measurement; set by the report

  /// Returns the typical value, from medians.
  [[nodiscard]] double judged() const;
  /// Returns the best value, which is the one of the round with the best ratio, or the best single one. Higher is
  /// better for rates and for goals with a minimum.
  [[nodiscard]] double best() const;
  /// Returns nothing if the row has no goal.
  [[nodiscard]] std::optional<bool> met() const;
  /// Returns "≥ 0.95 ×"; empty if the row has no goal.
  [[nodiscard]] std::string goal() const;
};

/// Formats three significant digits, or all digits before the point.
[[nodiscard]] std::string figure(double value);

}  // namespace tapedeck::bench
