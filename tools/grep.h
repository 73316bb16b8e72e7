#pragma once
// Searching a cassette with a regular expression (`tapedeck grep`).

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "tools/selection.h"

namespace tapedeck::tools {

struct GrepOptions {
  std::string pattern;  ///< RE2
  bool fixed = false;   ///< it is a text, no expression
  bool ignore_case = false;
};

/// One line of one text in which the pattern was found.
struct GrepMatch {
  const char* place = "";    ///< "key", "target", "request header", "request body", "answer header", "answer body"
  std::uint64_t line = 0;    ///< from 1
  std::uint64_t column = 0;  ///< of the first match in it, in bytes, from 1
  std::string text;          ///< the line, or of a long one what stands around the match
};

struct GrepHit {
  cassettes::ListedInteraction interaction;
  std::vector<GrepMatch> matches;
};

/// By scope, key, take, lane and position; `visit` returns false to stop. Only keys, targets, header lines and bodies
/// as they are stored: with placeholders. Throws std::invalid_argument for a pattern that RE2 does not take, with RE2's
/// words.
void grep(const cassettes::CassetteReader& cassette, const GrepOptions& options, const Selection& selection,
          const std::function<bool(const GrepHit&)>& visit);

}  // namespace tapedeck::tools
