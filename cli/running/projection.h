#pragma once
// The changes of another firmware as an overlay file over the old one's recording.

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
  /// Keys of requests and their outcomes, as TrialResult has them.
  using Requests = std::set<std::pair<std::string, std::string>>;

  /// Both must outlive it.
  Projection(const tools::FirmwareResponses& before, const tools::FirmwareComparison& comparison);

  /// The text of an overlay file with those changes.
  [[nodiscard]] std::string toml(const tools::ElementSet& changes) const;
  /// The file of --save: the breaking changes.
  [[nodiscard]] std::string saved(const ForecastResult& result) const;
  [[nodiscard]] static bool is_saved(std::string_view head);

  /// The changes to calls that are among the requests. A change of API.Info is one when the client has requested it, or
  /// has called that API.
  [[nodiscard]] tools::ElementSet called(const Requests& requests) const;
  /// Those of the calls ("SYNO.Core.Share/1/list") that are among the requests.
  [[nodiscard]] static std::vector<std::string> called_of(const std::vector<std::string>& calls,
                                                          const Requests& requests);

 private:
  [[nodiscard]] std::string block_of(std::size_t change) const;

  const tools::FirmwareComparison& comparison_;
  std::vector<std::string> blocks_;  ///< of each change
};

}  // namespace tapedeck::cli
