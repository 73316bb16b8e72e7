#pragma once
// Finds the responses that begin sessions without being a login: the first ones that contain the ID of a session,
// before a request carries it (docs/replay.md, "Sessions").

#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "scrubbers/redaction/scrubbed_interaction.h"

namespace tapedeck::cassettes {

/// Collects the session IDs of a recording. All numbers are those of the recording.
class BegunSessions {
 public:
  /// Adds an interaction of a scope. `row` is its number.
  void note(std::uint32_t scope, std::int64_t row, const scrubbers::InteractionRecord& record);
  /// Returns the session that each of these rows begins. Call it after the last note().
  [[nodiscard]] std::map<std::int64_t, std::uint32_t> find() const;

 private:
  struct Ids {
    /// The earliest response with the ID: its start, its row, and whether the session begins there.
    std::tuple<std::int64_t, std::int64_t> handed_out{INT64_MAX, 0};
    std::int64_t first_use = INT64_MAX;  ///< start of the first request that carries the ID as its session
    bool has_login = false;              ///< a login has begun the session
  };
  std::map<std::pair<std::uint32_t, std::uint32_t>, Ids> sessions_;  ///< by scope and session
};

/// Makes the interaction the first one of the session that it begins.
void begin_session(scrubbers::InteractionRecord& record, std::uint32_t session);

}  // namespace tapedeck::cassettes
