#pragma once
// Decides which runs of scopes of a recording are kept (docs/testing.md, "Scopes").

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "cassettes/file/connection.h"

namespace tapedeck::cassettes {

/// The run of a scope that is kept.
struct KeptRun {
  std::uint32_t run = 0;
  bool complete = false;
};

/// Returns the kept runs by scope: the last complete run of each, or else the last run, but no failed one. The empty
/// name is for interactions without a scope, which are always kept. If the take ended normally, all runs are complete.
/// `stored` replaces learned secrets in a name.
[[nodiscard]] std::map<std::string, KeptRun> kept_runs(SQLite::Database& recording, bool has_ended,
                                                       const std::function<std::string(std::string)>& stored);

}  // namespace tapedeck::cassettes
