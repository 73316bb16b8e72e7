#pragma once
// Imports HAR 1.2 archives of browsers, mitmproxy, and Tapedeck into a cassette.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cassettes/finish/finish.h"
#include "scrubbers/rules/scrub_rule.h"

namespace tapedeck::tools {

struct HarImportOptions {
  scrubbers::RuleSet rules = scrubbers::RuleSet::defaults();
  std::string tool_version;
  /// Returns the content of a file that the archive names instead of a body (HarFiles::attached), or nothing.
  std::function<std::optional<std::string>(const std::string& name)> attached;
  /// See FinishOptions::progress.
  std::function<bool(const char* step, std::uint64_t done, std::uint64_t total)> progress;
};

struct HarImport {
  cassettes::FinishReport report;
  std::uint64_t left_out = 0;       ///< number of entries of other servers
  std::uint64_t websockets = 0;     ///< number of skipped WebSocket connections
  std::vector<std::string> faults;  ///< skipped entries without a valid request: "line 4, column 1: …"
  std::vector<std::string> broken;  ///< entries that were stored as broken, in the same form
  std::uint64_t undated = 0;        ///< number of entries without a date, which got the time of the previous entry
};

/// Creates the cassette `path`, which must not exist. It has one take with the interactions in the order of their
/// start, all scrubbed. The device is the server with the most API calls, or else the first server. Throws
/// CassetteError or Stopped. Throws ImportError before anything is written if the text is not an archive or has no
/// request. After an exception, no cassette exists.
[[nodiscard]] HarImport import_har(std::string_view text, const std::string& path, const HarImportOptions& options);

}  // namespace tapedeck::tools
