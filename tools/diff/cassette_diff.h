#pragma once
// Two cassettes compared call by call (docs/cassettes.md, "Compare cassettes").

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
  std::string scope;            ///< as stored; empty: none
  std::string key;              ///< of the first cassette, or of the second where the first has none
  std::vector<Change> changes;  ///< noise among them
  /// Some change is no noise.
  [[nodiscard]] bool differs() const;
};

struct DiffResult {
  std::vector<CallDiff> calls;  ///< those that differ or have noise, by scope and key
  std::uint64_t equal = 0;      ///< calls without any difference
  std::array<std::uint64_t, noise_classes> noise{};

  void add(CallDiff call);
  [[nodiscard]] bool differs() const;
};

struct DiffOptions {
  std::vector<std::string> ignored;  ///< JSON pointers, `*` for any one name: what is at or below does not count
  /// Of the first cassette these interactions alone are compared; what is noise is still learned from all. Nothing:
  /// all.
  std::optional<std::set<std::string>> only;
  /// Pseudonyms for what one of the two has as originals (--private-key); null: none.
  std::shared_ptr<scrubbers::PrivateProfile> private_values;
  /// Calls done and in all; false stops with Stopped.
  std::function<bool(std::uint64_t done, std::uint64_t total)> progress;
};

/// Of each call the newest take that has it, the answers lane by lane and in their order; the last one of a sequence
/// stands for those that are missing. The first label of API names does not count where each cassette has one alone.
/// Holds keys and ids, and the answers of one call at a time.
[[nodiscard]] DiffResult diff(const cassettes::CassetteReader& a, const cassettes::CassetteReader& b,
                              const DiffOptions& options);

}  // namespace tapedeck::tools
