#pragma once
// The records of a trace, which are a program's operations on the files of one folder. tracer.cpp writes them in the
// program, and PowerLog reads them.

#include <cstdint>

namespace tapedeck::tests::power {

enum class Op : std::uint32_t {
  create,       ///< a new file with the name `path`
  write,        ///< `bytes` at `offset`
  truncate,     ///< to the length `offset`
  sync,         ///< of a file
  sync_folder,  ///< of the folder's names
  rename,       ///< `path`, NUL, `bytes`
  unlink,       ///< `path`
  mark,         ///< written by the test; `bytes` says what it has seen
};

/// The header of each record, followed by the path and the bytes.
struct TraceRecord {
  Op op = Op::mark;
  std::uint32_t path_size = 0;
  std::uint64_t inode = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes_size = 0;
};

/// Environment variables of the traced program: the folder, without links in its path, and the file for the trace.
inline constexpr const char* folder_variable = "TAPEDECK_POWER_FOLDER";
inline constexpr const char* trace_variable = "TAPEDECK_POWER_TRACE";

}  // namespace tapedeck::tests::power
