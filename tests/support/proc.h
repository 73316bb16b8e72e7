#pragma once
// What the kernel says of a process: memory and descriptors.

#include <sys/types.h>

#include <cstddef>
#include <fstream>
#include <string>

namespace tapedeck::tests {

/// A line of /proc/PID/status that counts kB, in bytes: "VmHWM" is the most that was ever resident, "VmRSS" what is
/// now. 0 when there is no such process or line.
[[nodiscard]] inline std::size_t memory_of(pid_t pid, const std::string& name) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name + ":")) return std::stoul(line.substr(name.size() + 1)) * 1024;
  }
  return 0;
}

/// Sanitizers keep memory of their own: figures then say nothing.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool memory_counts = false;
#else
inline constexpr bool memory_counts = true;
#endif

}  // namespace tapedeck::tests
