#pragma once
// Starts processes, measures them through /proc, and ends them by their own pid.

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace tapedeck::bench {

class Child {
 public:
  Child() = default;
  /// Starts argv[0] with its output in `log`. It gets SIGTERM if this program ends first.
  Child(const std::vector<std::string>& argv, const std::filesystem::path& log);
  ~Child();
  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Returns the CPU time of all threads of the process and its children in nanoseconds (/proc/PID/task/*/schedstat).
  [[nodiscard]] std::uint64_t cpu_ns() const;
  /// Returns the current and the highest resident memory of the process and its children in bytes.
  [[nodiscard]] std::uint64_t resident() const;
  [[nodiscard]] std::uint64_t resident_peak() const;
  /// Returns false once it has ended.
  [[nodiscard]] bool running() const;
  /// Sends SIGTERM and waits. Returns the exit status, or 128 + the signal that ended it.
  int stop();

 private:
  pid_t pid_ = -1;
};

/// Runs a program to its end and returns its standard output. Throws std::runtime_error if it fails.
[[nodiscard]] std::string output_of(const std::vector<std::string>& argv);

/// Returns a TCP port of 127.0.0.1 that was free a moment ago.
[[nodiscard]] std::uint16_t free_port();

}  // namespace tapedeck::bench
