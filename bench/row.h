#pragma once
// One figure of the table: what was measured in each round, what it stands beside, and its goal.

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
  std::string group = {};  ///< the measurement that it is of; the report sets it

  /// What is typical: of medians.
  [[nodiscard]] double judged() const;
  /// What is best: the round with the best ratio, or the best value. Higher is better for rates and for what has to be
  /// at least something.
  [[nodiscard]] double best() const;
  /// Nothing when the row has no goal.
  [[nodiscard]] std::optional<bool> met() const;
  /// "≥ 0.95 ×"; empty when the row has no goal.
  [[nodiscard]] std::string goal() const;
};

/// Three figures, or all before the point.
[[nodiscard]] std::string figure(double value);

}  // namespace tapedeck::bench
