#pragma once
// The events of a take while it is recorded, and how it is recorded.

#include <cstdint>
#include <string>

namespace tapedeck::cassettes {

/// How a take is recorded.
struct WriteOptions {
  bool durable = false;          ///< sync each commit to the disk before the response is released
  bool kept_when_killed = true;  ///< if false, the recording of a killed recorder becomes CASSETTE.failed
};

/// An event of a take, besides its interactions.
struct TakeEvent {
  enum class Kind : std::uint8_t {
    mark = 0,            ///< marks this moment (`ls` shows it)
    scope_complete = 1,  ///< the run of that scope is complete
    scope_failed = 2,    ///< the run is dropped
    accounts = 3,        ///< `name` has the check values of all accounts so far (scrubbers::AccountChecks)
  };
  Kind kind = Kind::mark;
  std::int64_t at_us = 0;
  std::string name;       ///< the name of the mark or scope
  std::uint32_t run = 1;  ///< the run of the scope
};

}  // namespace tapedeck::cassettes
