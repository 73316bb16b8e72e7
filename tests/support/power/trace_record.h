#pragma once
// What a program did to the files of one folder, as lines of a trace: written by tracer.cpp inside of the program, read
// by PowerLog.

#include <cstdint>

namespace tapedeck::tests::power {

enum class Op : std::uint32_t {
  create,       ///< a name for a new file: `path`
  write,        ///< `bytes` at `offset`
  truncate,     ///< to the length `offset`
  sync,         ///< of one file
  sync_folder,  ///< of the names in the folder
  rename,       ///< `path`, NUL, `bytes`
  unlink,       ///< `path`
  mark,         ///< not of the program: what the test saw up to here, in `bytes`
};

/// Stands before the path and the bytes of each.
struct TraceRecord {
  Op op = Op::mark;
  std::uint32_t path_size = 0;
  std::uint64_t inode = 0;
  std::uint64_t offset = 0;
  std::uint64_t bytes_size = 0;
};

/// Environment of the traced program: the folder, with no link in its path, and the file that the trace is appended to.
inline constexpr const char* folder_variable = "TAPEDECK_POWER_FOLDER";
inline constexpr const char* trace_variable = "TAPEDECK_POWER_TRACE";

}  // namespace tapedeck::tests::power
