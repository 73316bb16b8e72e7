#pragma once
// The smallest part of a cassette that still shows something. Candidates are cassettes, made as `pick` and `set` make
// them; whether one shows it is the caller's to say.

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "cassettes/read/cassette_reader.h"
#include "scrubbers/scrubber.h"

namespace tapedeck::tools {

struct ReductionOptions {
  std::string folder;  ///< for candidates; nobody else writes there
  /// Makes a scrubber for bodies that are changed.
  std::function<std::unique_ptr<scrubbers::Scrubber>(const cassettes::CassetteInfo&)> scrubber;
  /// Whether it is shown with this cassette.
  std::function<bool(const std::string& cassette)> shows;
  /// As DeltaOptions::goes_on.
  std::function<bool()> goes_on;
  /// Called before each question with what is being removed, and how much of it is left.
  std::function<void(const std::string& what, std::size_t left)> progress;
};

struct Reduced {
  std::string path;  ///< the smallest cassette that was found, in the folder
  /// Without any one take, scope, lane, interaction, element, or member it does not show it, and no long string can be
  /// shortened. False when the search was ended.
  bool is_minimal = false;
};

/// Reduces the cassette at `path`, which shows it. Interactions that are not among the `played` ones go in one step.
/// Nothing is returned when it is not shown once times, notes, and dates are left out. Throws
/// std::runtime_error when a candidate cannot be written.
[[nodiscard]] std::optional<Reduced> reduce(const std::string& path, const std::set<std::string>& played,
                                            const ReductionOptions& options);

/// Writes a cassette with the same takes and nothing in it.
void write_empty(const std::string& path, const std::string& out);

}  // namespace tapedeck::tools
