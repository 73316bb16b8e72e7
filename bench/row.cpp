#include "bench/row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tapedeck::bench {
namespace {

bool more_is_better(const Row& row) { return row.at_least || (!row.at_most && row.unit.ends_with("/s")); }

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

double Row::best() const {
  std::vector<double> rounds = ours;
  if (theirs.size() == ours.size()) {
    for (std::size_t i = 0; i < rounds.size(); ++i) rounds[i] = theirs[i] > 0 ? rounds[i] / theirs[i] : 0;
  } else if (!theirs.empty()) {
    return judged();
  }
  if (rounds.empty()) return 0;
  const auto [least, most] = std::minmax_element(rounds.begin(), rounds.end());
  return more_is_better(*this) ? *most : *least;
}

std::optional<bool> Row::met() const {
  if (at_least) return judged() >= *at_least;
  if (at_most) return judged() <= *at_most;
  return std::nullopt;
}

std::string Row::goal() const {
  const std::string times = theirs.empty() ? "" : " ×";
  if (at_least) return "≥ " + figure(*at_least) + times;
  if (at_most) return "≤ " + figure(*at_most) + times;
  return "";
}

std::string figure(double value) {
  if (std::abs(value) >= 100) return fmt::format("{:.0f}", value);
  return fmt::format("{:.{}f}", value, std::abs(value) >= 10 ? 1 : 2);
}

}  // namespace tapedeck::bench
