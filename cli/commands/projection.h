#pragma once
// Converts the changes of another firmware to overlays for the recording of the old firmware.

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/reports/forecast_report.h"
#include "tools/delta/ddmin.h"
#include "tools/forecast/change_overlays.h"

namespace tapedeck::cli {

class Projection {
 public:
  /// Keys of requests with their outcomes, as in TrialResult.
  using Requests = std::set<std::pair<std::string, std::string>>;

  /// Both arguments must outlive the object.
  Projection(const tools::FirmwareResponses& before, const tools::FirmwareComparison& comparison);

  /// Returns the text of an overlay file with those changes.
  [[nodiscard]] std::string toml(const tools::ElementSet& changes) const;
  /// Returns the text for --save, which has the breaking changes.
  [[nodiscard]] std::string saved(const ForecastResult& result) const;
  [[nodiscard]] static bool is_saved(std::string_view head);

  /// Returns the changes to calls that are among the requests. A change of API.Info counts if the client requested
  /// API.Info or called that API.
  [[nodiscard]] tools::ElementSet called(const Requests& requests) const;
  /// Returns those of `calls` ("SYNO.Core.Share/1/list") that are among the requests.
  [[nodiscard]] static std::vector<std::string> called_of(const std::vector<std::string>& calls,
                                                          const Requests& requests);

 private:
  [[nodiscard]] std::string block_of(std::size_t change) const;

  const tools::FirmwareComparison& comparison_;
  std::vector<std::string> blocks_;  ///< one block for each change
};

}  // namespace tapedeck::cli
