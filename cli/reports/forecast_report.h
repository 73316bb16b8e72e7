#pragma once
// Prints the results of `forecast`.

#include <string>
#include <vector>

#include "tools/forecast/breakage.h"
#include "tools/forecast/firmware_changes.h"

namespace tapedeck::cli {

struct Firmware {
  std::string path, model, version;
};

struct ForecastResult {
  Firmware before, after;
  std::size_t changes = 0, not_called = 0;
  std::vector<std::string> unknown;        ///< calls of the command that the new recording does not have
  std::vector<std::string> misses_before;  ///< misses with the old firmware
  tools::Breakage breakage;
  unsigned runs = 0;
  bool is_stopped = false, is_time_over = false;
};

void print_forecast(const ForecastResult& result, const tools::FirmwareComparison& comparison, bool with_values);
void print_forecast_json(const ForecastResult& result, const tools::FirmwareComparison& comparison, bool with_values,
                         int exit_status);
/// Returns JUnit XML with one test case for each change, one for reliability, and one for whether all changes were
/// tried.
[[nodiscard]] std::string forecast_junit(const ForecastResult& result, const tools::FirmwareComparison& comparison);

}  // namespace tapedeck::cli
