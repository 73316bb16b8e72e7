#pragma once
// Measures a row of the table with a list of requests: replay beside nginx with the same bodies as static files.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/setup.h"
#include "bench/steps.h"

namespace tapedeck::bench {

struct ListRow {
  enum class Ids {
    none,       ///< no step has a session ID
    logged_in,  ///< 997 accounts log in first; each step has the next one
    fresh,      ///< a new session each time the list ends
  };
  std::string name;  ///< the name of the measurement: "forms"
  std::string what;  ///< the text in the table: "replay, POST forms"
  std::vector<std::string> cassettes;
  Steps steps;  ///< checked before and after; wrk sends them, unless there is `steps_of_round`
  Ids ids = Ids::none;
  std::vector<std::string> options = {};  ///< options of replay
  /// Other steps for each run, with responses from the same files. There are then no checks at the end.
  std::function<Steps(int run)> steps_of_round = {};
  std::optional<double> requests_at_least = {}, cpu_at_most = {};
};

/// Adds the rows NAME.requests, NAME.cpu, and NAME.p99 to the report. Throws if a response was not the expected one, or
/// a miss, a fallback, a refusal, or out of order unless a step expects that.
void measure_list(const Setup& setup, const ListRow& row, Report& report);

}  // namespace tapedeck::bench
