#pragma once
// Prints the differences between two cassettes, or between a cassette and its device.

#include <cstdint>

#include "cli/options/diff_options.h"
#include "tools/diff/cassette_diff.h"
#include "tools/verify/plan.h"

namespace tapedeck::cli {

/// The number of calls in a cassette that were or were not sent to the device again.
struct Questions {
  const tools::VerifyPlan& plan;
  std::uint64_t failed = 0;  ///< number of calls without a complete response
};

/// Calls tools::diff() and shows its progress on a terminal. Throws std::runtime_error if a signal stops it.
[[nodiscard]] tools::DiffResult compared(const cassettes::CassetteReader& before,
                                         const cassettes::CassetteReader& after, tools::DiffOptions how);

/// Prints the differences on standard output. `questions` is null if no device was involved.
void print_diff(const tools::DiffResult& result, const DiffViewOptions& view, const Questions* questions = nullptr);

}  // namespace tapedeck::cli
