#pragma once
// Finds the smallest part of a cassette that still reproduces a failure. Candidates are written in the same way as by
// `pick` and `set`, and the caller tests them.

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "cassettes/read/cassette_reader.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::tools {

struct ReductionOptions {
  std::string folder;  ///< folder for candidates, which must not be used by anything else
  /// Creates a scrubber for changed bodies.
  std::function<std::unique_ptr<scrubbers::Scrubber>(const cassettes::CassetteInfo&)> scrubber;
  /// Returns true if this cassette reproduces the failure.
  std::function<bool(const std::string& cassette)> shows;
  /// Has the meaning of DeltaOptions::goes_on.
  std::function<bool()> goes_on;
  /// Called before each test with the kind of elements that are being removed, and the number of remaining ones.
  std::function<void(const std::string& what, std::size_t left)> progress;
};

struct Reduced {
  std::string path;  ///< the smallest cassette, in the folder
  /// True if no take, scope, lane, interaction, element, or member can be removed, and no long string can be shortened.
  /// False if the search ended early.
  bool is_minimal = false;
};

/// Reduces the cassette at `path`, which reproduces the failure. Interactions that are not in `played` are removed in
/// one step. Returns nothing if the failure depends on times, notes, or dates. Throws std::runtime_error if a candidate
/// cannot be written.
[[nodiscard]] std::optional<Reduced> reduce(const std::string& path, const std::set<std::string>& played,
                                            const ReductionOptions& options);

/// Writes an empty cassette with the same takes.
void write_empty(const std::string& path, const std::string& out);

}  // namespace tapedeck::tools
