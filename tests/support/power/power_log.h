#pragma once
// Computes what a disk may contain if the power fails during a program's run: everything that was synced, and any part
// of the rest, in any order, torn within pages.

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/power/trace_record.h"

namespace tapedeck::tests::power {

/// Returns the environment of a traced program for Spawn::env. `folder` must only contain what is under test.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environment(const std::string& tracer,
                                                                           const std::string& folder,
                                                                           const std::string& trace);
/// Appends a mark, which says what the test has seen before the next operation of the program.
void append_mark(const std::string& trace, const std::string& text);

class PowerLog {
 public:
  /// Uses the content of `folder` as the content of the disk before the program starts.
  explicit PowerLog(std::filesystem::path folder);
  /// Reads the trace of a run. Throws std::runtime_error if it is not a trace.
  void read(const std::string& trace);

  [[nodiscard]] std::size_t size() const { return steps_.size(); }
  /// Returns the marks of the first `steps`.
  [[nodiscard]] std::set<std::string> marks(std::size_t steps) const;
  /// Returns the numbers of steps before and after each sync, rename, and mark, which are the critical moments.
  [[nodiscard]] std::vector<std::size_t> turning_points() const;
  /// Writes what the disk may contain after the first `steps` into the empty folder `to`. If `are_syncs_kept`
  /// is false, ignores all syncs.
  void restore(std::size_t steps, std::mt19937& random, const std::filesystem::path& to,
               bool are_syncs_kept = true) const;

 private:
  struct Step {
    Op op = Op::mark;
    std::uint64_t inode = 0;
    std::uint64_t offset = 0;
    std::string path;   ///< relative to the folder
    std::string bytes;  ///< for Op::rename, the new path, relative
  };

  std::filesystem::path folder_;
  std::map<std::string, std::uint64_t> names_;     ///< before the run
  std::map<std::uint64_t, std::string> contents_;  ///< before the run
  std::vector<Step> steps_;
};

}  // namespace tapedeck::tests::power
