#pragma once
// A row of the table whose requests are a list: replay beside nginx with the same bodies as static files.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/setup.h"
#include "bench/steps.h"

namespace tapedeck::bench {

struct ListRow {
  enum class Ids {
    none,       ///< no step has a mark
    logged_in,  ///< of 997 accounts that log in first; each step has the next one
    fresh,      ///< a new one each time that the list is over
  };
  std::string name;  ///< of the measurement: "forms"
  std::string what;  ///< in the table: "replay, POST forms"
  std::vector<std::string> cassettes;
  Steps steps;  ///< checked before and after; what wrk asks for, unless there is `steps_of_round`
  Ids ids = Ids::none;
  std::vector<std::string> options = {};  ///< of replay
  /// Other steps for each run, whose answers are of the same files. The checks at the end are left out then.
  std::function<Steps(int run)> steps_of_round = {};
  std::optional<double> requests_at_least = {}, cpu_at_most = {};
};

/// Puts the rows NAME.requests, NAME.cpu and NAME.p99 into the report. Throws when an answer was not the expected one,
/// or a miss, a fallback, a refusal or an answer out of order was among them unless a step says so.
void measure_list(const Setup& setup, const ListRow& row, Report& report);

}  // namespace tapedeck::bench
