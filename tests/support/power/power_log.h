#pragma once
// What a disk may hold after the power went at any moment of a program's run: what was synced for certain, of all else
// any part, in any order, torn within pages.

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

/// What the environment of a traced program has, for Spawn::env. `folder` must hold nothing that it writes but what is
/// under test.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> environment(const std::string& tracer,
                                                                           const std::string& folder,
                                                                           const std::string& trace);
/// Appends a mark: what the test saw before whatever the program does next.
void append_mark(const std::string& trace, const std::string& text);

class PowerLog {
 public:
  /// Takes what `folder` holds as what is on the disk before the program starts.
  explicit PowerLog(std::filesystem::path folder);
  /// Reads the trace of the run that has ended. Throws std::runtime_error where it is no trace.
  void read(const std::string& trace);

  [[nodiscard]] std::size_t size() const { return steps_.size(); }
  /// Of the first `steps`.
  [[nodiscard]] std::set<std::string> marks(std::size_t steps) const;
  /// Moments at which most is at stake: before and behind each sync, rename and mark.
  [[nodiscard]] std::vector<std::size_t> turning_points() const;
  /// Writes into the empty folder `to` what the disk may hold after the first `steps`. `are_syncs_kept` false: as if
  /// nothing had ever been synced.
  void restore(std::size_t steps, std::mt19937& random, const std::filesystem::path& to,
               bool are_syncs_kept = true) const;

 private:
  struct Step {
    Op op = Op::mark;
    std::uint64_t inode = 0;
    std::uint64_t offset = 0;
    std::string path;   ///< relative to the folder
    std::string bytes;  ///< of Op::rename the new path, relative
  };

  std::filesystem::path folder_;
  std::map<std::string, std::uint64_t> names_;     ///< before the run
  std::map<std::uint64_t, std::string> contents_;  ///< before the run
  std::vector<Step> steps_;
};

}  // namespace tapedeck::tests::power
