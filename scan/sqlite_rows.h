#pragma once
// Reads the tables of SQLite files row by row, so that long values are complete and findings have a place.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "base/descriptor.h"
#include "scan/findings.h"
#include "scan/view_scanner.h"

namespace tapedeck::scan {

/// Scans every text, every blob, and every integer as text in every ordinary table. Opens the file read-only and
/// immutable, like that of a stranger: no triggers, views, or virtual tables, and a limited amount of work. `progress`
/// gets the bytes of values. The options say whether a cassette's list of reviewed findings counts, and whether only
/// its contents are searched.\n\nReturns why not everything could be read, or "". The rest is still searched as raw
/// bytes.
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
