#pragma once
// Decides which runs of scopes of a recording are kept (docs/testing.md, "Scopes").

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "cassettes/file/connection.h"

namespace tapedeck::cassettes {

class RecordedScopes {
 public:
  struct Kept {
    std::uint32_t run = 0;
    bool complete = false;
  };
  /// Keeps the last complete run of each scope, or else the last run, but no failed one. Always keeps interactions
  /// without a scope. If the take ended normally, all runs are complete. `stored` replaces learned secrets in a name.
  RecordedScopes(SQLite::Database& recording, bool has_ended, const std::function<std::string(std::string)>& stored);

  [[nodiscard]] bool keeps(const std::string& name, std::uint32_t run) const;
  /// Returns the kept runs by name. The empty name is for interactions without a scope.
  [[nodiscard]] const std::map<std::string, Kept>& kept() const { return kept_; }

 private:
  std::map<std::string, Kept> kept_;
};

}  // namespace tapedeck::cassettes
