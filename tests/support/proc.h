#pragma once
// Reads memory and descriptors of a process from the kernel.

#include <sys/types.h>

#include <cstddef>
#include <fstream>
#include <string>

namespace tapedeck::tests {

/// Returns a line of /proc/PID/status in bytes: "VmHWM" is the highest resident memory, "VmRSS" the current one. 0 if
/// there is no such process or line.
[[nodiscard]] inline std::size_t memory_of(pid_t pid, const std::string& name) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stoul(line.substr(name.size() + 1)) * 1024;
  }
  return 0;
}

/// False with sanitizers, which need additional memory and time.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool memory_counts = false;
#else
inline constexpr bool memory_counts = true;
#endif
/// How many times as long a program may take.
inline constexpr int slowness = memory_counts ? 1 : 6;

}  // namespace tapedeck::tests
