#pragma once
// Compares two cassettes call by call (docs/cassettes.md, "Compare cassettes").

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "scrubbers/private/private_profile.h"
#include "tools/diff/change.h"

namespace tapedeck::tools {

struct CallDiff {
  enum class Kind { changed, added, removed };
  Kind kind = Kind::changed;
  std::string scope;            ///< the stored name; empty: none
  std::string headers;          ///< the values that tell its requests apart, "x-tenant: a"; mostly empty
  std::string key;              ///< key in the first cassette, or in the second if only that one has the call
  std::vector<Change> changes;  ///< including noise
  /// Returns true if there is a change that is not noise.
  [[nodiscard]] bool differs() const;
};

struct DiffResult {
  std::vector<CallDiff> calls;  ///< calls that differ or have noise, sorted by scope and key
  std::uint64_t equal = 0;      ///< calls without any difference
  std::array<std::uint64_t, noise_classes> noise{};

  void add(CallDiff call);
  [[nodiscard]] bool differs() const;
};

struct DiffOptions {
  std::vector<std::string> ignored;  ///< JSON pointers to ignore, with everything below; `*` matches any single name
  /// Replaces private values by pseudonyms if only one of the cassettes has them in original form (--private-key).
  /// Null: no replacement.
  std::shared_ptr<scrubbers::PrivateProfile> private_values;
  /// Called with the number of finished calls and the total. If it returns false, diff() throws Stopped.
  std::function<bool(std::uint64_t done, std::uint64_t total)> progress;
};

/// Compares the newest take that has each call, lane by lane in recorded order. A shorter sequence is extended by its
/// last response. The first label of API names is ignored if each cassette has only one.
/// Keeps keys and IDs in memory, and two responses at a time, besides those from which noise is learned.
[[nodiscard]] DiffResult diff(const cassettes::CassetteReader& a, const cassettes::CassetteReader& b,
                              const DiffOptions& options);

}  // namespace tapedeck::tools
