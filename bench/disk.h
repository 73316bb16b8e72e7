#pragma once
// Measures the disk of the recordings.

#include <filesystem>
#include <vector>

namespace tapedeck::bench {

/// Returns the microseconds of `count` consecutive calls of fdatasync, each after overwriting 16 KiB of a file of 16
/// MiB: the minimum cost of a commit. The file does not grow, like a used write-ahead log, because growing would cost
/// another journal entry. Removes the file.
[[nodiscard]] std::vector<double> sync_times(const std::filesystem::path& file, int count);

/// Returns the value that this share of the values does not exceed: 0.5 for the p50.
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// Returns the size of a file, 0 if it is missing.
[[nodiscard]] double size_of(const std::filesystem::path& file);

/// Reads a file into the kernel's page cache, where the other side's files are, too.
void read_once(const std::filesystem::path& file);

}  // namespace tapedeck::bench
