#pragma once
// Scans the tables of SQLite files row by row, so that long values are complete and findings have a place.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <unordered_set>

#include "base/descriptor.h"
#include "scan/findings.h"
#include "scan/view_scanner.h"

namespace tapedeck::scan {

/// The quick_hash() of each.
using ScannedValues = std::unordered_set<std::uint64_t>;

/// Scans all texts, blobs, and integers (as text) in every ordinary table. Opens the file read-only and immutable. Does
/// not trust it: triggers, views, and virtual tables are disabled, and the work is limited. Calls `progress` with the
/// number of scanned bytes. Of the options, uses `file_allows` and `just_written`.
///
/// Returns the reason if something could not be read, or an empty text. Adds the texts and blobs to `scanned`, so that
/// the caller does not search them again in the pages of the file.
[[nodiscard]] std::string scan_rows(const std::filesystem::path& path, std::uint64_t size, ViewScanner& scanner,
                                    Findings& findings, const ScanOptions& options, ScannedValues& scanned,
                                    const std::function<void(std::uint64_t bytes)>& progress);

}  // namespace tapedeck::scan
