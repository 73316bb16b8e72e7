#pragma once
// Operations of a program on the files of one folder, as records of a trace. Written by tracer.cpp in the program, read
// by PowerLog.

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
  mark,         ///< by the test: what it has seen so far, in `bytes`
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
