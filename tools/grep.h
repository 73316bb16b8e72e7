#pragma once
// Searches a cassette with a regular expression (`tapedeck grep`).

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cassettes/read/cassette_reader.h"
#include "tools/selection.h"

namespace tapedeck::tools {

struct GrepOptions {
  std::string pattern;  ///< in RE2 syntax
  bool fixed = false;   ///< true if `pattern` is plain text instead of an expression
  bool ignore_case = false;
};

/// A line that contains the pattern.
struct GrepMatch {
  const char* place = "";    ///< "key", "target", "request header", "request body", "response header", "response body"
  std::uint64_t line = 0;    ///< from 1
  std::uint64_t column = 0;  ///< column of the first match, in bytes, from 1
  std::string text;          ///< the line, or the part of a long one around the match
};

struct GrepHit {
  cassettes::ListedInteraction interaction;
  std::vector<GrepMatch> matches;
};

/// Visits matches by scope, key, take, lane, and position until `visit` returns false. Searches keys, targets, headers,
/// and bodies as stored, with placeholders. Throws std::invalid_argument with RE2's message for an invalid pattern.
void grep(const cassettes::CassetteReader& cassette, const GrepOptions& options, const Selection& selection,
          const std::function<bool(const GrepHit&)>& visit);

}  // namespace tapedeck::tools
