#pragma once
// HAR 1.2 into a cassette: of browsers, mitmproxy and ours.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cassettes/finish/finish.h"
#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::tools {

struct HarImportOptions {
  scrubbers::RuleSet rules = scrubbers::RuleSet::defaults();
  std::string tool_version;
  /// As FinishOptions::progress.
  std::function<bool(const char* step, std::uint64_t done, std::uint64_t total)> progress;
};

struct HarImport {
  cassettes::FinishReport report;
  std::uint64_t left_out = 0;       ///< entries of other servers than the device, and of what is no HTTP
  std::vector<std::string> faults;  ///< of entries that hold no request, which were skipped: "line 4, column 1: …"
  std::vector<std::string> broken;  ///< likewise of those that were stored as broken
  std::uint64_t undated = 0;        ///< entries without a date, which got the time of the entry before them
};

/// Makes the cassette `path`, which must not be there: one take, its interactions in the order of their starts, each
/// through the scrubber. The device is the server with the most API calls, else the first one. Throws ImportError,
/// before anything is written, for what is no archive or holds no request; CassetteError; and Stopped. Then there is no
/// cassette.
[[nodiscard]] HarImport import_har(std::string_view text, const std::string& path, const HarImportOptions& options);

}  // namespace tapedeck::tools
