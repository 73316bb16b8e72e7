#pragma once
// Scans the tables of SQLite files row by row, so that long values are complete and findings have a place.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/descriptor.h"
#include "scan/findings.h"
#include "scan/view_scanner.h"

namespace tapedeck::scan {

/// Scans all texts, blobs, and integers (as text) in every ordinary table. Opens the file read-only and immutable. Does
/// not trust it: triggers, views, and virtual tables are disabled, and the work is limited. Calls `progress` with the
/// number of scanned bytes. Of the options, uses `file_allows` and `just_written`.
///
/// Returns the reason if something could not be read, or an empty text. The caller also searches the file as raw bytes.
[[nodiscard]] std::string scan_rows(const std::filesystem::path& path, std::uint64_t size, ViewScanner& scanner,
                                    Findings& findings, const ScanOptions& options,
                                    const std::function<void(std::uint64_t bytes)>& progress);

enum class SqliteFile {
  none,
  recording,  ///< an unfinished recording of Tapedeck, which also has rows in its write-ahead log
  database,
};
[[nodiscard]] SqliteFile kind_of(const base::Descriptor& file);

}  // namespace tapedeck::scan
