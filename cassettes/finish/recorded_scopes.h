#pragma once
// Which runs of the scopes of unfinished takes are kept (toolkit §1).

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
  /// By take and name; an empty name is what was recorded without a scope.
  using Name = std::pair<std::uint32_t, std::string>;

  /// Of each scope the last complete run, or else the last one; none of those that failed. What was recorded without a
  /// scope is always kept. `ended_take` has ended in order, so all its runs are complete; 0: none has.
  /// `stored` puts learned secrets out of a name.
  RecordedScopes(SQLite::Database& database, std::uint32_t ended_take,
                 const std::function<std::string(std::string)>& stored);

  [[nodiscard]] bool keeps(const Name& name, std::uint32_t run) const;
  [[nodiscard]] const std::map<Name, Kept>& kept() const { return kept_; }

 private:
  std::map<Name, Kept> kept_;
};

}  // namespace tapedeck::cassettes
