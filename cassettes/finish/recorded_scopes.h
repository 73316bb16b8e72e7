#pragma once
// Which runs of the scopes of a recording are kept (toolkit §1).

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
  /// Of each scope the last complete run, or else the last one; none of those that failed. What was recorded without a
  /// scope is always kept. Of a take that has ended in order all runs are complete.
  /// `stored` replaces learned secrets in a name.
  RecordedScopes(SQLite::Database& recording, bool has_ended, const std::function<std::string(std::string)>& stored);

  [[nodiscard]] bool keeps(const std::string& name, std::uint32_t run) const;
  /// By name; the empty name is what was recorded without a scope.
  [[nodiscard]] const std::map<std::string, Kept>& kept() const { return kept_; }

 private:
  std::map<std::string, Kept> kept_;
};

}  // namespace tapedeck::cassettes
