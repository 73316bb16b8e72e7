#pragma once
// SQLite's tables read row by row, so that long values come whole and findings have a name.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/descriptor.h"
#include "scan/findings.h"
#include "scan/view_scanner.h"

namespace tapedeck::scan {

/// Scans every text and blob, and every integer as text, of every ordinary table. The file is opened read-only and
/// immutable, as that of a stranger: no triggers, views or virtual tables, and a limit on the work. `progress` gets the
/// bytes of values. The options say whether the findings learn what a cassette says was reviewed, and whether only its
/// contents are searched.
///
/// Returns why not all could be read, or "" when it was; what could not be read here is still searched as raw bytes.
[[nodiscard]] std::string scan_rows(const std::filesystem::path& path, std::uint64_t size, ViewScanner& scanner,
                                    Findings& findings, const ScanOptions& options,
                                    const std::function<void(std::uint64_t bytes)>& progress);

enum class SqliteFile {
  none,
  recording,  ///< of Tapedeck, not finished: its rows are in its write-ahead log as well
  database,
};
[[nodiscard]] SqliteFile kind_of(const base::Descriptor& file);

}  // namespace tapedeck::scan
