#pragma once
// The disk that recordings go to.

#include <filesystem>
#include <vector>

namespace tapedeck::bench {

/// Microseconds of `count` calls of fdatasync in a row, each after 16 KiB were written over in a file of 16 MiB: what a
/// commit cannot do without. The file does not grow, as a write-ahead log does not once it has been used: growing would
/// cost a journal entry more. The file is made and taken away.
[[nodiscard]] std::vector<double> sync_times(const std::filesystem::path& file, int count);

/// The value that a share of them does not exceed: 0.5 for the p50.
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// The file's size, 0 when it is not there.
[[nodiscard]] double size_of(const std::filesystem::path& file);

/// Into the kernel's page cache, where the other side's files are as well: the disk is not what is measured.
void read_once(const std::filesystem::path& file);

}  // namespace tapedeck::bench
