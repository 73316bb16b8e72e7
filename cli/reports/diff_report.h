#pragma once
// What differs between two cassettes, or between a cassette and its device, in words.

#include <cstdint>

#include "tools/diff/cassette_diff.h"
#include "tools/verify/plan.h"

namespace tapedeck::cli {

enum class DiffForm { text, json, markdown };

/// How much of a cassette its device was asked again.
struct Questions {
  const tools::VerifyPlan& plan;
  std::uint64_t failed = 0;  ///< without a whole answer
};

/// As tools::diff(), with its progress on a terminal. Throws std::runtime_error when a signal stops it.
[[nodiscard]] tools::DiffResult compared(const cassettes::CassetteReader& before,
                                         const cassettes::CassetteReader& after, tools::DiffOptions how);

/// On standard output. Without `with_noise` noise is only counted. `questions` may be null: nobody was asked.
void print_diff(const tools::DiffResult& result, DiffForm form, bool with_noise, const Questions* questions = nullptr);

}  // namespace tapedeck::cli
